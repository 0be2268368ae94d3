import { useSyncExternalStore } from 'react';

/**
 * A value that outlives the page, as JSON under a name. With localStorage every tab has the same one. Where that is full, or
 * site data are blocked, the page has it to itself: an order must not fail for the sake of a cart.
 */
export class StoredValue<T> {
  readonly #name: string;
  readonly #storage: Storage | undefined;
  readonly #initial: T;
  readonly #listeners = new Set<() => void>();
  #text: string | null = null;
  /** What could not be written. */
  #unwritten: string | undefined;
  #value: T;

  constructor(name: string, initial: T, kind: 'localStorage' | 'sessionStorage' = 'localStorage') {
    this.#name = name;
    this.#storage = storageOf(kind);
    this.#initial = initial;
    this.#value = initial;
    // Another tab's doing.
    addEventListener('storage', (event) => {
      if (event.storageArea !== this.#storage) return;
      if (event.key === name) this.#unwritten = undefined;
      this.#tell();
    });
  }

  /** The same object until it changes. */
  readonly get = (): T => {
    const text = this.#unwritten ?? this.#storage?.getItem(this.#name) ?? null;
    if (text !== this.#text) {
      this.#text = text;
      this.#value = text === null ? this.#initial : (JSON.parse(text) as T);
    }
    return this.#value;
  };

  set(value: T): void {
    const text = JSON.stringify(value);
    this.#unwritten = text;
    try {
      this.#storage?.setItem(this.#name, text);
      if (this.#storage) this.#unwritten = undefined;
    } catch {}
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

function storageOf(kind: 'localStorage' | 'sessionStorage'): Storage | undefined {
  try {
    return globalThis[kind];
  } catch {
    return undefined;
  }
}

export function useStored<T>(value: Pick<StoredValue<T>, 'get' | 'subscribe'>): T {
  return useSyncExternalStore(value.subscribe, value.get);
}
