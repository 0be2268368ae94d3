import { RunTimeoutError } from '../records/run-timeout-error.js';
import { within } from '../timing/within.js';

/**
 * The time that all runs of one attempt's handler have together: unused → running → over.
 *
 * It counts from the first run, so that an attempt which loses against others again and again takes no longer than one
 * that hangs.
 */
export class RunLimit {
  readonly #ms: number;
  #until: number | undefined;
  #error: RunTimeoutError | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Set once a run was cut short. */
  get error(): RunTimeoutError | undefined {
    return this.#error;
  }

  get leftMs(): number {
    return this.#until === undefined ? this.#ms : this.#until - performance.now();
  }

  /** @throws RunTimeoutError when time is up; the run goes on, and nobody hears how it ends. */
  async run<T>(handler: () => Promise<T>): Promise<T> {
    this.#until ??= performance.now() + this.#ms;
    return within(handler(), this.leftMs, () => {
      this.#error = new RunTimeoutError(this.#ms);
      return this.#error;
    });
  }
}
