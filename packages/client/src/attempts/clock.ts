/** Time, as everything here takes it; tests bring their own. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Runs `run` once, after `delayMs`; the returned function calls it off. */
  after(delayMs: number, run: () => void): () => void;
}

/** The longest delay a timer holds; a longer one would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

type Timer = ReturnType<typeof setTimeout> & { unref?(): void };

function clock(set: (timer: Timer) => void): Clock {
  return {
    now: () => Date.now(),
    after(delayMs, run) {
      const timer: Timer = setTimeout(run, Math.min(delayMs, MAX_TIMER_MS));
      set(timer);
      return () => clearTimeout(timer);
    },
  };
}

export const systemClock = clock(() => {});

/** The system's time, with timers that keep no process alive: an idle outbox must not. */
export const idleClock = clock((timer) => timer.unref?.());
