import type { RetryPolicy } from '@trpc-once/contract';
import type { Clock } from '../../attempts/clock.js';

/** How far apart the outbox asks again by itself, and by which clock: its timers keep no process alive. */
export interface Rhythm extends Pick<RetryPolicy, 'minDelayMs' | 'maxDelayMs'> {
  readonly clock: Clock;
}
