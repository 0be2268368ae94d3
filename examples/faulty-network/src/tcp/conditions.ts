import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

/** How the network is at the moment, for every connection through one proxy. */
export class Conditions {
  readonly #closing: AbortSignal;
  #delayMs = 0;
  #resumed: Promise<void> | undefined;
  #resume: (() => void) | undefined;

  constructor(closing: AbortSignal) {
    this.#closing = closing;
    setMaxListeners(0, closing); // One for each chunk that is being held back.
  }

  pause(): void {
    this.#resumed ??= new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#resume?.();
    this.#resumed = undefined;
  }

  delay(ms: number): void {
    if (!(ms >= 0 && ms <= 2_147_483_647))
      throw new TypeError(`a delay must be from 0 to 2147483647 ms, not ${String(ms)}`);
    this.#delayMs = ms;
  }

  /** When what arrives now may go on. */
  due(): number {
    return performance.now() + this.#delayMs;
  }

  /** Waits until `due`, and as long as the network is paused. Rejects when the proxy closes. */
  async passable(due: number): Promise<void> {
    for (;;) {
      const left = due - performance.now();
      if (left > 0) await wait(left, undefined, { signal: this.#closing });
      else if (this.#resumed) await this.#resumed;
      else return;
    }
  }
}
