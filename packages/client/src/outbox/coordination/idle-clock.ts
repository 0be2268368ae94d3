import { type Clock, systemClock } from '../../attempts/clock.js';

/** The system's time, with timers that keep no process alive: an idle outbox must not. */
export const idleClock: Clock = {
  now: systemClock.now,
  after(delayMs, run) {
    const timer: { unref?(): void } = setTimeout(run, delayMs) as never;
    timer.unref?.();
    return () => clearTimeout(timer as never);
  },
};
