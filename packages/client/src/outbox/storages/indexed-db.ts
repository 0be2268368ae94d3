import { OutboxStorageError } from '../../errors/outbox-storage-error.js';
import { betweenTabs } from '../coordination/between-tabs.js';
import type { OutboxStorage, StoredEntry } from '../store/storage.js';
import { refusal } from './refusal.js';

export interface IndexedDbOptions {
  /** The database. One for each outbox. @default 'trpc-once' */
  readonly database?: string;
  /** @default the global `indexedDB`, looked for when it is first used */
  readonly indexedDB?: IDBFactory;
  /**
   * How long the browser may take to open it before a use is refused as `blocked`: some versions of Safari now and then
   * never answer, and a call would wait for as long. @default 10_000
   */
  readonly openTimeoutMs?: number;
}

const STORE = 'operations';

/**
 * Keeps operations in IndexedDB. A write counts once its transaction is complete, and is asked to be on disk by then
 * (`durability: 'strict'`): it survives the tab, the browser and, where the disk is honest, the power. Each change is one
 * transaction, so `swap` is one step among all tabs and workers of the origin.
 *
 * Browsers may clear it when the device is short of space, unless `navigator.storage.persist()` was granted; Safari also
 * after seven days without a visit.
 */
export function indexedDbStorage({
  database = 'trpc-once',
  indexedDB,
  openTimeoutMs = 10_000,
}: IndexedDbOptions = {}): OutboxStorage {
  const name = `IndexedDB ${database}`;
  let opening: Promise<IDBDatabase> | undefined;

  const open = () => {
    let late: ReturnType<typeof setTimeout>;
    return new Promise<IDBDatabase>((resolve, reject) => {
      // Naming it, and opening it, may throw: then this promise is rejected.
      const factory = indexedDB ?? globalThis.indexedDB;
      if (!factory)
        throw new OutboxStorageError(
          name,
          'unavailable',
          'this runtime has no IndexedDB; on a server use fileStorage() or memoryStorage()',
        );
      let refused = false;
      const refuse = (why: string) => {
        refused = true;
        reject(new OutboxStorageError(name, 'blocked', why));
      };
      late = setTimeout(() => refuse(`it was not open after ${openTimeoutMs} ms`), openTimeoutMs);
      const request = factory.open(database, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE);
      request.onblocked = () => refuse('another tab holds an older version of it open');
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const db = request.result;
        // Else this tab would be the one that blocks another's upgrade.
        db.onversionchange = () => db.close();
        if (refused) db.close();
        else resolve(db);
      };
    }).finally(() => clearTimeout(late));
  };

  const use = async <T>(
    mode: IDBTransactionMode,
    act: (store: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> => {
    for (let first = true; ; first = false) {
      opening ??= open();
      const now = opening;
      let db: IDBDatabase | undefined;
      try {
        db = await now;
        return await transact(db, mode, act);
      } catch (cause) {
        if (opening === now) opening = undefined;
        db?.close();
        const error = refusal(name, cause, db ? 'failed' : 'unavailable');
        // iOS closes connections behind a page's back while it sleeps, or loses the process that kept them: a new one works.
        if (!first || error.reason === 'quota' || error.reason === 'blocked') throw error;
      }
    }
  };

  return {
    name,
    durable: true,
    coordination: betweenTabs,
    async entries() {
      let found: StoredEntry[] = [];
      await use('readonly', (store) => {
        found = [];
        const request = store.openCursor();
        request.onsuccess = () => {
          const cursor = request.result;
          if (!cursor) return;
          found.push(entryOf(String(cursor.key), cursor.value));
          cursor.continue();
        };
        return request;
      });
      return found;
    },
    async get(id) {
      const value = await use('readonly', (store) => store.get(id));
      return value === undefined ? undefined : entryOf(id, value);
    },
    set: async (id, text) => void (await use('readwrite', (store) => store.put(text, id))),
    async swap(id, former, next) {
      let did = false;
      let again = false;
      await use('readwrite', (store) => {
        const request = store.get(id);
        request.onsuccess = () => {
          const { result } = request;
          // Found done already: it was, before the connection was lost that should have told.
          did = result === former || (again && result === next);
          again = true;
          if (did) next === undefined ? store.delete(id) : store.put(next, id);
        };
        return request;
      });
      return did;
    },
    delete: async (id) => void (await use('readwrite', (store) => store.delete(id))),
    async close() {
      const db = await opening?.catch(() => undefined);
      opening = undefined;
      db?.close();
    },
  };
}

function transact<T>(
  db: IDBDatabase,
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const transaction = db.transaction(STORE, mode, { durability: 'strict' });
    const request = act(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error ?? new Error('the transaction was aborted'));
  });
}

function entryOf(id: string, value: unknown): StoredEntry {
  return { id, text: typeof value === 'string' ? value : undefined };
}
