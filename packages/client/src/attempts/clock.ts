/** Time, as everything here takes it; tests bring their own. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Runs `run` once, after `delayMs`; the returned function calls it off. */
  after(delayMs: number, run: () => void): () => void;
}

/** The longest delay a timer holds; a longer one would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(delayMs, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
