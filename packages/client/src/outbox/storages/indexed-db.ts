import { OutboxStorageError, type StorageFailure } from '../../errors/outbox-storage-error.js';
import type { OutboxStorage, StoredEntry } from '../storage.js';

export interface IndexedDbOptions {
  /** The database. One for each outbox. @default 'trpc-once' */
  readonly database?: string;
  /** @default the global `indexedDB`, looked for when it is first used */
  readonly indexedDB?: IDBFactory;
}

const STORE = 'operations';

/**
 * Keeps operations in IndexedDB. A write counts once its transaction is complete, and is asked to be on disk by then;
 * browsers otherwise may lose the last ones with the power.
 */
export function indexedDbStorage({
  database = 'trpc-once',
  indexedDB,
}: IndexedDbOptions = {}): OutboxStorage {
  const name = 'IndexedDB';
  let opening: Promise<IDBDatabase> | undefined;

  const failed = (cause: unknown): OutboxStorageError => {
    if (cause instanceof OutboxStorageError) return cause;
    const { name: kind } = (cause ?? {}) as { name?: unknown };
    const reason: StorageFailure =
      kind === 'QuotaExceededError'
        ? 'quota'
        : kind === 'SecurityError' || kind === 'VersionError' || kind === 'UnknownError'
          ? 'unavailable'
          : 'failed';
    return new OutboxStorageError(name, reason, String(cause), cause);
  };

  const open = () =>
    new Promise<IDBDatabase>((resolve, reject) => {
      const factory = indexedDB ?? globalThis.indexedDB;
      if (!factory) throw new OutboxStorageError(name, 'unavailable', 'there is none here');
      const request = factory.open(database, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE);
      request.onblocked = () =>
        reject(new OutboxStorageError(name, 'blocked', 'another tab holds an older version of it open'));
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const db = request.result;
        // Else this tab would be the one that blocks another's upgrade.
        db.onversionchange = () => db.close();
        resolve(db);
      };
    });

  const connection = () => {
    opening ??= open().catch((cause) => {
      opening = undefined;
      throw cause;
    });
    return opening;
  };

  const transact = async <T>(
    mode: IDBTransactionMode,
    act: (store: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> => {
    const db = await connection();
    const transaction = db.transaction(STORE, mode, { durability: 'strict' });
    const request = act(transaction.objectStore(STORE));
    return new Promise<T>((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? request.error);
    });
  };

  const use = async <T>(
    mode: IDBTransactionMode,
    act: (store: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> => {
    try {
      return await transact(mode, act).catch((cause) => {
        // iOS closes connections behind a page's back while it sleeps; a new one works.
        if ((cause as Error | null)?.name !== 'InvalidStateError') throw cause;
        opening = undefined;
        return transact(mode, act);
      });
    } catch (cause) {
      throw failed(cause);
    }
  };

  return {
    name,
    durable: true,
    async entries() {
      const found: StoredEntry[] = [];
      await use('readonly', (store) => {
        found.length = 0;
        const request = store.openCursor();
        request.onsuccess = () => {
          const cursor = request.result;
          if (!cursor) return;
          const { value } = cursor;
          found.push({ id: String(cursor.key), text: typeof value === 'string' ? value : undefined });
          cursor.continue();
        };
        return request;
      });
      return found;
    },
    set: async (id, text) => void (await use('readwrite', (store) => store.put(text, id))),
    delete: async (id) => void (await use('readwrite', (store) => store.delete(id))),
    async close() {
      const db = await opening?.catch(() => undefined);
      opening = undefined;
      db?.close();
    },
  };
}
