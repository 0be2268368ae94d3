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
   * @default 8 — with the delays below 19 s of waiting on average and 38 s at most; 100 s when every attempt times out.
   * AWS makes 3, Stripe 3, Google Cloud Storage 4: their callers handle the error, here nobody knows what became of an order
   */
  readonly maxAttempts: number;
  /**
   * Upper bound of the first delay; each further bound doubles. The delay is drawn evenly below the bound (full jitter).
   * @default 300 — one lost connection is the commonest fault, and somebody is looking at a spinner
   */
  readonly minDelayMs: number;
  /**
   * Where the doubling stops. At this cap the draw is from its upper half, so that jitter cannot turn into a storm.
   * @default 20_000 — as the AWS SDKs have it; a server that was away for longer is found by a probe, at most 10 s apart
   */
  readonly maxDelayMs: number;
  /**
   * How long one attempt may take, from the first byte sent to the last byte of the answer read.
   * @default 10_000 — a handler that takes longer is met again as "in progress", and runs on
   */
  readonly attemptTimeoutMs: number;
  /**
   * How long a caller waits for the outcome, all attempts and delays together, before `OutcomeUnknownError`.
   * The operation stays in the outbox.
   * @default 120_000 — room for eight attempts that all time out
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
