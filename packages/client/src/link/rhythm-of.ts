import { idleClock, MAX_TIMER_MS } from '../attempts/clock.js';
import type { Rhythm } from '../outbox/waking/rhythm.js';
import type { IdempotencyOptions } from './options.js';
import { strayOption } from './stray-option.js';

type Delays = Exclude<NonNullable<IdempotencyOptions['resumeByTime']>, false>;

/**
 * How the outbox asks again by itself, if it shall.
 * @throws TypeError for what is no delay
 */
export function rhythmOf({
  resumeByTime,
  clock = idleClock,
}: Pick<IdempotencyOptions, 'resumeByTime' | 'clock'>): Rhythm | undefined {
  if (resumeByTime === false) return undefined;
  const given: object = resumeByTime ?? {};
  const stray = typeof given === 'object' ? strayOption(given, ['minDelayMs', 'maxDelayMs']) : `${given}`;
  if (stray) throw new TypeError(`resumeByTime is false, or { minDelayMs, maxDelayMs }: ${stray}`);
  const { minDelayMs = 60_000, maxDelayMs = 900_000 }: Delays = given;
  for (const ms of [minDelayMs, maxDelayMs])
    if (!Number.isInteger(ms) || ms < 1 || ms > MAX_TIMER_MS)
      throw new TypeError(
        `resumeByTime: its delays are whole milliseconds from 1 to ${MAX_TIMER_MS}, not ${ms}`,
      );
  return { minDelayMs, maxDelayMs, clock };
}
