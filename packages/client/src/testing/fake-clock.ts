import type { Clock } from '../attempts/clock.js';

/** A clock that stands until a test moves it. */
export class FakeClock implements Clock {
  #now: number;
  readonly #timers = new Set<{ at: number; readonly run: () => void }>();

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    // As setTimeout has it: a longer delay than it holds is none.
    const timer = { at: this.#now + (delayMs > 2_147_483_647 ? 1 : delayMs), run };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Says an earlier time from now on; timers go on as they were. */
  setBack(ms: number): void {
    this.#now -= ms;
    for (const timer of this.#timers) timer.at -= ms;
  }

  /** Moves on, firing what is due in its order, and lets everything that follows from it happen. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settled();
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.run();
      await settled();
    }
    this.#now = until;
    await settled();
  }
}

/** Lets everything happen that waits for nothing but its turn. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
