import type { Operation, OperationState } from './operation.js';

/** What happened in the outbox. */
export type OutboxEvent =
  /**
   * The operation entered a state or was found in it, was handed over and removed, or was dismissed; here, or in another
   * tab or process. `gone`: somebody else removed it, and did not say why.
   */
  | { readonly type: OperationState | 'delivered' | 'dismissed' | 'gone'; readonly operation: Operation }
  /** A change could not be stored. The operation goes on; after a reload it is found as it was before. */
  | { readonly type: 'storage-failed'; readonly operation: Operation; readonly error: unknown }
  /** `onSettled` threw: the outcome is kept, and told again at the next resume, by time too. */
  | { readonly type: 'undelivered'; readonly operation: Operation; readonly error: unknown };

/** Tells listeners, none of whom can change what happens: what they throw is only reported. */
export class Listeners {
  readonly #listeners = new Set<(event: OutboxEvent) => void>();

  add(listener: (event: OutboxEvent) => void): () => void {
    // A function of its own, so that one listener given twice is two.
    const own = (event: OutboxEvent) => listener(event);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  tell(event: OutboxEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        console.error(error);
      }
    }
  }
}
