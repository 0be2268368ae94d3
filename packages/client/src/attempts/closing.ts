/**
 * Whether the outbox is being closed. Not an AbortSignal: every attempt and every wait listens to it, and Node warns of a
 * leak when more than ten do.
 */
export class Closing {
  readonly #listeners = new Set<() => void>();
  #closed = false;

  get closed(): boolean {
    return this.#closed;
  }

  /** Calls `listener` when it closes; the returned function calls that off. */
  on(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  close(): void {
    this.#closed = true;
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }
}
