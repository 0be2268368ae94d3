import { Bell } from './bell.js';

/** Whether the outbox was closed; rings when it is. */
export class Closing extends Bell {
  #closed = false;

  get closed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
    this.ring();
  }
}
