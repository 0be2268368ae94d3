import type { RetryPolicy } from '@trpc-once/contract';
import { MAX_TIMER_MS } from './clock.js';

/**
 * How soon a running operation is asked for again. Most take well under a second, so asking starts at the policy's
 * smallest delay; at most every 2 s after that, so that waiting for a long one costs the server next to nothing.
 */
const MAX_POLL_MS = 2_000;

/**
 * How long to wait before the attempt after `failures` of them (counted from 1).
 *
 * Full jitter: drawn evenly below a bound that doubles, as AWS measured to spread a crowd best. At the cap the draw is
 * from the upper half: there the crowd is an outage's, and a draw near zero would hit a server that is coming back.
 * Retry-After is a lower bound, with the jitter on top of it, since everyone was told the same number.
 *
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function backoffMs(
  failures: number,
  policy: Pick<RetryPolicy, 'minDelayMs' | 'maxDelayMs'>,
  random: () => number,
  retryAfterMs = 0,
): number {
  const bound = Math.min(policy.maxDelayMs, policy.minDelayMs * 2 ** (failures - 1));
  const floor = bound === policy.maxDelayMs ? bound / 2 : 0;
  const delay = floor + random() * (bound - floor);
  return Math.min(MAX_TIMER_MS, Math.ceil(retryAfterMs + delay));
}

/** How long to wait before asking again after an operation was found in progress `polls` times. */
export function pollMs(
  polls: number,
  policy: Pick<RetryPolicy, 'minDelayMs' | 'maxDelayMs'>,
  random: () => number,
  retryAfterMs?: number,
): number {
  return backoffMs(
    polls,
    { ...policy, maxDelayMs: Math.min(policy.maxDelayMs, MAX_POLL_MS) },
    random,
    retryAfterMs,
  );
}
