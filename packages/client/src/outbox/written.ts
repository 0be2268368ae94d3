import { isOver } from './record-codec.js';
import type { OutboxStorage } from './storage.js';

/**
 * What storage is known to hold, and what is being written. A record that somebody else can change is replaced only as it
 * was known, in one step.
 */
export class Written {
  readonly #storage: OutboxStorage;
  readonly #shared: boolean;
  readonly #texts = new Map<string, string>();
  readonly #writing = new Map<string, number>();

  constructor(storage: OutboxStorage, shared: boolean) {
    this.#storage = storage;
    this.#shared = shared;
  }

  /** Whose writes are under way. */
  ids(): Iterable<string> {
    return this.#writing.keys();
  }

  is(id: string, text: string | undefined): boolean {
    return text !== undefined && this.#texts.get(id) === text;
  }

  found(id: string, text: string): void {
    this.#texts.set(id, text);
  }

  /** Storage will have to say again what it holds. */
  forget(id: string): void {
    this.#texts.delete(id);
  }

  insert(id: string, text: string): Promise<boolean> {
    return this.#write(id, text, () => this.#set(id, text));
  }

  /** @returns whether the record was still there, and open; if not, it is left as it is */
  replace(id: string, text: string): Promise<boolean> {
    return this.#write(id, text, async () => {
      const former = this.#texts.get(id);
      if (!this.#shared || former === undefined) return this.#set(id, text);
      if (isOver(former) && !isOver(text)) return false;
      if (await this.#storage.swap(id, former, text)) return true;
      // Changed by another while this one had lost the hold. Of two that are still asking, the later word may stand; an
      // outcome, or that it was handed over, is nothing to take back.
      const there = await this.#storage.get(id);
      if (!there || (there.text !== undefined && isOver(there.text))) return false;
      return this.#set(id, text);
    });
  }

  async #set(id: string, text: string): Promise<boolean> {
    await this.#storage.set(id, text);
    return true;
  }

  async #write(id: string, text: string, put: () => Promise<boolean>): Promise<boolean> {
    this.#writing.set(id, (this.#writing.get(id) ?? 0) + 1);
    try {
      const there = await put();
      if (there) this.#texts.set(id, text);
      return there;
    } finally {
      const left = this.#writing.get(id)! - 1;
      if (left > 0) this.#writing.set(id, left);
      else this.#writing.delete(id);
    }
  }
}
