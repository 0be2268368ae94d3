import { ContractError } from '../contract/contract-error.js';
import { unknownOption } from '../options/unknown-option.js';
import { defaultRetryPolicy, mergeRetryPolicy, type RetryPolicy } from '../retry/retry-policy.js';

/** How one mutation is kept from happening twice. */
export interface IdempotentPolicy {
  /**
   * How long a settled outcome is replayed, counted from when it settled. The client will not send an operation
   * again once it is older than this.
   * @default 86_400_000 (24 hours, as Stripe keeps keys)
   */
  readonly retentionMs: number;
  /**
   * How long a claim holds without being renewed. It is renewed at every third of it while the handler runs, so it
   * bounds how long a key stays taken after a process was killed, not how long a handler may run.
   * @default 30_000
   */
  readonly leaseMs: number;
  /** What this procedure's callers do about lost and refused answers; clients may lay their own over it. */
  readonly retry: RetryPolicy;
}

/** What `.idempotent()` takes: every field may be left out. */
export interface IdempotentOptions {
  /**
   * How long a settled outcome is replayed, in milliseconds from when it settled; a client does not send an operation again
   * that is older. Longer than anybody may stay offline with one pending. From 1_000 to a year.
   * @default 86_400_000 (24 hours, as Stripe keeps keys)
   */
  readonly retentionMs?: number;
  /**
   * How long a key stays taken after the process that ran it was killed, in milliseconds; it is renewed while a handler
   * runs, and no limit for that. From 100 to an hour.
   * @default 30_000
   */
  readonly leaseMs?: number;
  /**
   * What this procedure's callers do about lost and refused answers, over the defaults of {@link RetryPolicy}; clients and
   * calls may lay their own over it.
   */
  readonly retry?: Partial<RetryPolicy>;
}

const HOUR_MS = 3_600_000;
const YEAR_MS = 366 * 24 * HOUR_MS;

/** The defaults of {@link IdempotentPolicy}. */
export const defaultIdempotentPolicy: IdempotentPolicy = Object.freeze({
  retentionMs: 24 * HOUR_MS,
  leaseMs: 30_000,
  retry: defaultRetryPolicy,
});

/**
 * Fills in and checks a policy.
 * @throws ContractError when a duration is out of its range, or an option is unknown.
 */
export function idempotentPolicy(options: IdempotentOptions = {}): IdempotentPolicy {
  const unknown = unknownOption('idempotent', options, defaultIdempotentPolicy);
  if (unknown !== undefined) throw new ContractError(unknown);
  return Object.freeze({
    retentionMs: duration('retentionMs', options.retentionMs ?? defaultIdempotentPolicy.retentionMs, {
      // Shorter than a client's patience, and a retry could find its own record gone.
      least: 1_000,
      most: YEAR_MS,
    }),
    leaseMs: duration('leaseMs', options.leaseMs ?? defaultIdempotentPolicy.leaseMs, {
      // Under a tenth of a second the renewal itself cannot keep up.
      least: 100,
      most: HOUR_MS,
    }),
    retry: mergeRetryPolicy(defaultIdempotentPolicy.retry, options.retry),
  });
}

function duration(name: string, value: number, range: { least: number; most: number }): number {
  if (!Number.isInteger(value) || value < range.least || value > range.most)
    throw new ContractError(
      `${name} must be a whole number of milliseconds from ${range.least} to ${range.most}, not ${String(value)}`,
    );
  return value;
}
