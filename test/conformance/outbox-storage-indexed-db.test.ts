import { indexedDbStorage, type OutboxStorage } from '@trpc-once/client';
import { IDBDatabase, IDBFactory, IDBTransaction } from 'fake-indexeddb';
import { afterEach, expect, test, vi } from 'vitest';
import { sharedStorageConformance } from './outbox-storage.js';

afterEach(() => vi.restoreAllMocks());

/** The database behind an outbox, as another script of the page would open it. */
function opened(indexedDB: IDBFactory, version?: number): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('trpc-once', version);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

sharedStorageConformance('IndexedDB', async () => {
  const indexedDB = new IDBFactory();
  let last: ReturnType<typeof indexedDbStorage> | undefined;
  const others: OutboxStorage[] = [];
  const close = async () => {
    for (const one of [last, ...others.splice(0)]) await one?.close?.();
  };
  return {
    async open() {
      await close();
      last = indexedDbStorage({ indexedDB });
      return last;
    },
    async another() {
      others.push(indexedDbStorage({ indexedDB }));
      return others.at(-1)!;
    },
    async damage(id) {
      const db = await opened(indexedDB);
      const transaction = db.transaction('operations', 'readwrite');
      transaction.objectStore('operations').put({ not: 'a text' }, id);
      await new Promise((resolve) => (transaction.oncomplete = resolve));
      db.close();
    },
    [Symbol.asyncDispose]: close,
  };
});

const { objectStore } = IDBTransaction.prototype;

/** What the page's transactions meet next. */
function meet(how: (store: IDBObjectStore, transaction: IDBTransaction) => void, times = 1): void {
  const spy = vi.spyOn(IDBTransaction.prototype, 'objectStore');
  for (let n = 0; n < times; n += 1)
    spy.mockImplementationOnce(function (this: IDBTransaction, name) {
      const store = objectStore.call(this, name);
      how(store as unknown as IDBObjectStore, this);
      return store;
    });
}

/** The disk fails, or the connection goes, after a request has succeeded. */
const abortAfterSuccess = (store: IDBObjectStore, transaction: IDBTransaction) => {
  const put = store.put.bind(store);
  store.put = (...record) => {
    const request = put(...record);
    request.onsuccess = () => transaction.abort();
    return request;
  };
};

test('a write counts when its transaction is complete, not when its request succeeds', async () => {
  const storage = indexedDbStorage({ indexedDB: new IDBFactory() });
  await storage.set('id', 'former');
  for (const write of [() => storage.set('id', 'later'), () => storage.swap('id', 'former', 'later')]) {
    meet(abortAfterSuccess, 2);
    await expect(write()).rejects.toMatchObject({ name: 'OutboxStorageError', reason: 'failed' });
    expect(await storage.entries()).toEqual([{ id: 'id', text: 'former' }]);
  }
  await storage.close?.();
});

test('a transaction that went down with its connection is done again on a new one', async () => {
  const storage = indexedDbStorage({ indexedDB: new IDBFactory() });
  meet(abortAfterSuccess);
  await storage.set('id', 'text');
  meet(abortAfterSuccess);
  expect(await storage.swap('id', 'text', 'later')).toBe(true);
  expect(await storage.entries()).toEqual([{ id: 'id', text: 'later' }]);
  await storage.close?.();
});

test('a swap whose answer was lost with the connection knows that it had taken place', async () => {
  const storage = indexedDbStorage({ indexedDB: new IDBFactory() });
  await storage.set('id', 'text');
  vi.spyOn(IDBTransaction.prototype, 'objectStore').mockImplementationOnce(function (
    this: IDBTransaction,
    name,
  ) {
    // It commits, and the page hears of an abort.
    this.addEventListener('complete', () => this.onabort?.(new Event('abort') as never));
    Object.defineProperty(this, 'oncomplete', { set() {}, get: () => null });
    return objectStore.call(this, name);
  });
  expect(await storage.swap('id', 'text', 'later')).toBe(true);
  expect(await storage.swap('id', 'text', 'later')).toBe(false);
  expect(await storage.entries()).toEqual([{ id: 'id', text: 'later' }]);
  await storage.close?.();
});

test('every transaction asks to be on disk before it is complete', async () => {
  const storage = indexedDbStorage({ indexedDB: new IDBFactory() });
  await storage.entries();
  const asked = vi.spyOn(IDBDatabase.prototype, 'transaction');
  await storage.set('id', 'text');
  await storage.swap('id', 'text', 'later');
  await storage.delete('id');
  expect(asked.mock.calls.map((call) => call[2])).toEqual(Array(3).fill({ durability: 'strict' }));
  await storage.close?.();
});

test.each([
  ['InvalidStateError', 'The database connection is closing.'],
  ['UnknownError', 'Connection to Indexed Database server lost. Refresh the page to try again'],
])(
  'a connection that the system closed behind the page (%s) is opened again, once',
  async (kind, message) => {
    const storage = indexedDbStorage({ indexedDB: new IDBFactory() });
    await storage.set('id', 'text');
    const { transaction } = IDBDatabase.prototype;
    const lost = () => {
      throw new DOMException(message, kind);
    };
    const spy = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementationOnce(lost);
    expect(await storage.entries()).toEqual([{ id: 'id', text: 'text' }]);
    spy.mockClear();
    spy.mockImplementation(lost);
    await expect(storage.entries()).rejects.toMatchObject({ name: 'OutboxStorageError', reason: 'failed' });
    expect(spy).toHaveBeenCalledTimes(2);
    spy.mockImplementation(transaction);
    expect((await storage.entries()).length).toBe(1);
    await storage.close?.();
  },
);

test('a browser that does not answer an opening is not waited for without end, and a late answer blocks nobody', async () => {
  const factory = new IDBFactory();
  const open = factory.open.bind(factory);
  let answer: () => void = () => {};
  const asked = vi.spyOn(factory, 'open').mockImplementationOnce((...arguments_) => {
    const request = {} as IDBOpenDBRequest;
    answer = () => {
      const real = open(...arguments_);
      real.onupgradeneeded = () => real.result.createObjectStore('operations');
      real.onsuccess = () => {
        Object.assign(request, { result: real.result });
        request.onsuccess?.(new Event('success'));
      };
    };
    return request as never;
  });
  const storage = indexedDbStorage({ indexedDB: factory, openTimeoutMs: 20 });
  await expect(storage.set('id', 'text')).rejects.toMatchObject({ reason: 'blocked' });
  expect(asked).toHaveBeenCalledTimes(1);
  answer();
  await storage.set('id', 'text');
  expect((await storage.entries()).length).toBe(1);
  await storage.close?.();
  // Nobody holds it open any more: a deletion is not blocked.
  const deleted = factory.deleteDatabase('trpc-once');
  await new Promise((resolve, reject) => {
    deleted.onsuccess = resolve;
    deleted.onblocked = reject;
  });
});

test('it makes way for an upgrade by another tab, and works again with the new version or says why not', async () => {
  const indexedDB = new IDBFactory();
  const storage = indexedDbStorage({ indexedDB });
  await storage.set('id', 'text');
  const upgraded = await opened(indexedDB, 2);
  await expect(storage.set('id', 'later')).rejects.toMatchObject({
    name: 'OutboxStorageError',
    reason: 'unavailable',
  });
  upgraded.close();
});

test('a tab that holds an older version open makes it say that it is blocked', async () => {
  const blocked = {
    open() {
      const request = { onblocked: undefined as (() => void) | undefined };
      queueMicrotask(() => request.onblocked?.());
      return request;
    },
  } as unknown as IDBFactory;
  const storage = indexedDbStorage({ indexedDB: blocked });
  await expect(storage.entries()).rejects.toMatchObject({ name: 'OutboxStorageError', reason: 'blocked' });
});

test('a full disk is told apart, is not tried twice, and the former text is still there', async () => {
  const storage = indexedDbStorage({ indexedDB: new IDBFactory() });
  await storage.set('id', 'former');
  let writes = 0;
  const full = (store: IDBObjectStore) => {
    store.put = () => {
      writes += 1;
      throw new DOMException('Not enough space.', 'QuotaExceededError');
    };
  };
  meet(full);
  await expect(storage.set('id', 'later')).rejects.toMatchObject({ reason: 'quota' });
  expect(writes).toBe(1);
  expect(await storage.entries()).toEqual([{ id: 'id', text: 'former' }]);
  await storage.close?.();
});

test('where there is no IndexedDB, or none may be opened, every use says so, and the next use tries again', async () => {
  await expect(indexedDbStorage().entries()).rejects.toMatchObject({ reason: 'unavailable' });
  const factory = new IDBFactory();
  const open = factory.open.bind(factory);
  vi.spyOn(factory, 'open').mockImplementation(() => {
    throw new DOMException('A mutation operation was attempted in private mode.', 'SecurityError');
  });
  const storage = indexedDbStorage({ indexedDB: factory });
  await expect(storage.set('id', 'text')).rejects.toMatchObject({ reason: 'unavailable' });
  vi.mocked(factory.open).mockImplementation(open);
  await storage.set('id', 'text');
  expect((await storage.entries()).length).toBe(1);
  await storage.close?.();
});
