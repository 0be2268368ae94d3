/**
 * Tells whoever listens. Not an AbortSignal: every attempt and every wait listens to the outbox's closing, and Node warns
 * of a leak when more than ten do.
 */
export class Bell {
  readonly #listeners = new Set<() => void>();

  /** Calls `listener` at every ring; the returned function calls that off. */
  on(listener: () => void): () => void {
    // A function of its own, so that one listener given twice is two.
    const own = () => listener();
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  ring(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
