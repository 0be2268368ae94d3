import { ContractError } from '../contract/contract-error.js';

/**
 * How a client keeps asking for one operation's outcome. Merged from three places, the later one winning field by
 * field: the contract's procedure, the client's default, the call.
 *
 * Only the transport is retried under this policy; a terminal answer ends the operation at once.
 */
export interface RetryPolicy {
  /**
   * Attempts in total, the first one included. Answers that only say "still in progress" do not count.
   * @default 8 — with the delays below about a minute and a half of failures
   */
  readonly maxAttempts: number;
  /**
   * Upper bound of the first delay; each further bound doubles. The delay is drawn evenly below the bound (full jitter).
   * @default 300
   */
  readonly minDelayMs: number;
  /**
   * Where the doubling stops. At this cap the draw is from its upper half, so that jitter cannot turn into a storm.
   * @default 20_000
   */
  readonly maxDelayMs: number;
  /**
   * How long one attempt may take, from the first byte sent to the last byte of the answer read.
   * @default 10_000
   */
  readonly attemptTimeoutMs: number;
  /**
   * How long a caller waits for the outcome, all attempts and delays together, before `OutcomeUnknownError`.
   * The operation stays in the outbox.
   * @default 120_000
   */
  readonly waitMs: number;
}

/** What the policy is where nobody says otherwise. */
export const defaultRetryPolicy: RetryPolicy = Object.freeze({
  maxAttempts: 8,
  minDelayMs: 300,
  maxDelayMs: 20_000,
  attemptTimeoutMs: 10_000,
  waitMs: 120_000,
});

const smallest: RetryPolicy = {
  maxAttempts: 1,
  minDelayMs: 0,
  maxDelayMs: 0,
  attemptTimeoutMs: 1,
  waitMs: 0,
};

/**
 * Lays `overrides` over `base` and checks every field.
 *
 * @throws ContractError when a field is unknown, or not a whole number in its range. Timers hold at most 2^31-1 ms,
 * so no duration may be longer.
 */
export function mergeRetryPolicy(
  base: RetryPolicy,
  ...overrides: (Partial<RetryPolicy> | undefined)[]
): RetryPolicy {
  const merged: Record<string, number> = { ...base };
  for (const override of overrides) {
    for (const [field, value] of Object.entries(override ?? {})) {
      if (!Object.hasOwn(smallest, field))
        throw new ContractError(
          `retry.${field} is not part of a retry policy; the fields are ${Object.keys(smallest).join(', ')}`,
        );
      if (value === undefined) continue;
      const least = smallest[field as keyof RetryPolicy];
      if (!Number.isInteger(value) || value < least || value > 2_147_483_647)
        throw new ContractError(
          `retry.${field} must be a whole number from ${least} to 2147483647, not ${String(value)}`,
        );
      merged[field] = value;
    }
  }
  return Object.freeze(merged as unknown as RetryPolicy);
}
