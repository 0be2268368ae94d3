import type { Coordination, Hold } from './coordination/coordination.js';

/**
 * A run's hold on its operation: taken before anything is read or sent for it, given up whenever it only waits, so that a
 * tab that sleeps through a backoff holds nobody up.
 */
export class Holding {
  readonly #coordination: Coordination;
  readonly #name: string;
  readonly #signal: AbortSignal;
  #hold: Hold | undefined;

  constructor(coordination: Coordination, name: string, signal: AbortSignal) {
    this.#coordination = coordination;
    this.#name = name;
    this.#signal = signal;
  }

  get valid(): boolean {
    return this.#hold?.lost === false;
  }

  /**
   * Waits for the hold, unless it has it.
   * @returns whether somebody else may have had it since
   */
  async take(): Promise<boolean> {
    if (this.valid) return false;
    this.drop();
    this.#hold = await this.#coordination.hold(`operation ${this.#name}`, this.#signal);
    return this.#coordination.shared;
  }

  drop(): void {
    this.#hold?.release();
    this.#hold = undefined;
  }
}
