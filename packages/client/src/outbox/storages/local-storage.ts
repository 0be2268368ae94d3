import { OutboxStorageError } from '../../errors/outbox-storage-error.js';
import { betweenTabsWithLeasesIn } from '../coordination/between-tabs.js';
import type { OutboxStorage } from '../store/storage.js';
import { refusal } from './refusal.js';

export interface LocalStorageOptions {
  /** In front of every key, so that outboxes can share one origin. @default 'trpc-once:' */
  readonly prefix?: string;
  /** @default the global `localStorage`, looked for when it is first used */
  readonly storage?: Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>;
}

/**
 * Keeps operations in `localStorage`: about 5 MB for the whole origin, and nothing in workers. Prefer IndexedDB where it
 * works. What was set survives the tab and its process; browsers may write it to disk a moment later, so the last
 * changes can be lost with the power. `swap` is one step within a tab and not between tabs: two that swap at the same moment
 * can both be told that they did (seen in Chromium). So tabs without Web Locks keep their leases in IndexedDB, where there is
 * one.
 */
export function localStorageStorage({
  prefix = 'trpc-once:',
  storage,
}: LocalStorageOptions = {}): OutboxStorage {
  const name = `localStorage ${prefix}`;
  // Even naming it throws where cookies are blocked, and there is none on a server.
  const use = async <T>(act: (of: NonNullable<typeof storage>) => T): Promise<T> => {
    let found: typeof storage;
    try {
      found = storage ?? globalThis.localStorage;
      if (!found)
        throw new OutboxStorageError(
          name,
          'unavailable',
          'this runtime has no localStorage; on a server use fileStorage() or memoryStorage()',
        );
      return act(found);
    } catch (cause) {
      throw refusal(name, cause, found ? 'failed' : 'unavailable');
    }
  };
  const read = (of: NonNullable<typeof storage>, id: string) => of.getItem(prefix + id) ?? undefined;
  return {
    name,
    durable: true,
    coordination: betweenTabsWithLeasesIn(leasesBeside(`trpc-once leases ${prefix}`)),
    entries: () =>
      use((of) =>
        Array.from({ length: of.length }, (_, index) => of.key(index))
          .filter((key) => key?.startsWith(prefix))
          .map((key) => key!.slice(prefix.length))
          .map((id) => ({ id, text: read(of, id) })),
      ),
    get: (id) =>
      use((of) => {
        const text = read(of, id);
        return text === undefined ? undefined : { id, text };
      }),
    set: (id, text) => use((of) => of.setItem(prefix + id, text)),
    swap: (id, former, next) =>
      use((of) => {
        if (read(of, id) !== former) return false;
        if (next === undefined) of.removeItem(prefix + id);
        else of.setItem(prefix + id, next);
        return true;
      }),
    delete: (id) => use((of) => of.removeItem(prefix + id)),
  };
}

/**
 * A place for leases that swaps in one step between tabs. Where it cannot be opened, the storage itself; looked for anew for
 * each lease, so that a tab that could not open it for a moment is with the others again.
 */
function leasesBeside(database: string): (storage: OutboxStorage) => Promise<OutboxStorage> {
  let beside: OutboxStorage | undefined;
  return async (storage) => {
    try {
      const { indexedDbStorage } = await import('./indexed-db.js');
      beside ??= indexedDbStorage({ database });
      await beside.get('');
      return beside;
    } catch {
      return storage;
    }
  };
}
