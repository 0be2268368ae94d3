import { useSyncExternalStore } from 'react';

/** A value that outlives the page, as JSON under a name. With localStorage every tab has the same one. */
export class StoredValue<T> {
  readonly #name: string;
  readonly #storage: Storage;
  readonly #initial: T;
  readonly #listeners = new Set<() => void>();
  #text: string | null = null;
  #value: T;

  constructor(name: string, initial: T, storage: Storage = localStorage) {
    this.#name = name;
    this.#storage = storage;
    this.#initial = initial;
    this.#value = initial;
    // Another tab's doing.
    addEventListener('storage', (event) => {
      if (event.storageArea === storage) this.#tell();
    });
  }

  /** The same object until it changes. */
  readonly get = (): T => {
    const text = this.#storage.getItem(this.#name);
    if (text !== this.#text) {
      this.#text = text;
      this.#value = text === null ? this.#initial : (JSON.parse(text) as T);
    }
    return this.#value;
  };

  set(value: T): void {
    this.#storage.setItem(this.#name, JSON.stringify(value));
    this.#tell();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

export function useStored<T>(value: StoredValue<T>): T {
  return useSyncExternalStore(value.subscribe, value.get);
}
