import { OutboxStorageError, type StorageFailure } from '../../errors/outbox-storage-error.js';
import type { OutboxStorage } from '../storage.js';

export interface LocalStorageOptions {
  /** In front of every key, so that outboxes can share one origin. @default 'trpc-once:' */
  readonly prefix?: string;
  /** @default the global `localStorage`, looked for when it is first used */
  readonly storage?: Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>;
}

/**
 * Keeps operations in `localStorage`: about 5 MB for the whole origin. Prefer IndexedDB where it works; browsers may
 * write this one to disk a moment after it was set.
 */
export function localStorageStorage({
  prefix = 'trpc-once:',
  storage,
}: LocalStorageOptions = {}): OutboxStorage {
  const name = 'localStorage';
  // Even naming it throws where cookies are blocked, and there is none on a server.
  const use = async <T>(act: (of: NonNullable<typeof storage>) => T): Promise<T> => {
    let reason: StorageFailure = 'unavailable';
    try {
      const found = storage ?? globalThis.localStorage;
      if (!found) throw new TypeError('there is no localStorage here');
      reason = 'failed';
      return act(found);
    } catch (cause) {
      const full = /quota/i.test((cause as Error | undefined)?.name ?? '');
      throw new OutboxStorageError(name, full ? 'quota' : reason, full ? 'it is full' : String(cause), cause);
    }
  };
  return {
    name,
    durable: true,
    entries: () =>
      use((of) =>
        Array.from({ length: of.length }, (_, index) => of.key(index))
          .filter((key) => key?.startsWith(prefix))
          .map((key) => ({ id: key!.slice(prefix.length), text: of.getItem(key!) ?? undefined })),
      ),
    set: (id, text) => use((of) => of.setItem(prefix + id, text)),
    delete: (id) => use((of) => of.removeItem(prefix + id)),
  };
}
