import { Bell } from './bell.js';

/** Whether the outbox was closed; rings when it is. */
export class Closing extends Bell {
  readonly #aborting = new AbortController();

  get closed(): boolean {
    return this.signal.aborted;
  }

  /** The same for what takes a signal. */
  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  close(): void {
    this.#aborting.abort(new Error('the outbox was closed'));
    this.ring();
  }
}
