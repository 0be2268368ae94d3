import type { RetryPolicy } from '@trpc-once/contract';
import { MAX_TIMER_MS } from './clock.js';

/**
 * How often a running operation is asked for again. Asking spends no attempt, so only this keeps a policy without delays
 * from asking as fast as it can. Most operations take well under a second, and of a longer one nobody minds 2 s.
 */
const MIN_POLL_MS = 50;
const MAX_POLL_MS = 2_000;

/** Any smallest delay above zero is past every cap by then; 2 to the power of more is not finite at last. */
const MAX_DOUBLINGS = 31;

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
  const doubled = policy.minDelayMs * 2 ** Math.min(failures - 1, MAX_DOUBLINGS);
  const bound = Math.min(policy.maxDelayMs, doubled);
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
  const maxDelayMs = Math.min(policy.maxDelayMs, MAX_POLL_MS);
  return Math.max(MIN_POLL_MS, backoffMs(polls, { ...policy, maxDelayMs }, random, retryAfterMs));
}
