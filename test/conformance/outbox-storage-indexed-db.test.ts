import { indexedDbStorage } from '@trpc-once/client';
import { IDBDatabase, IDBFactory, IDBTransaction } from 'fake-indexeddb';
import { afterEach, expect, test, vi } from 'vitest';
import { exposedStorageConformance } from './outbox-storage.js';

afterEach(() => vi.restoreAllMocks());

/** The database behind an outbox, as another script of the page would open it. */
function opened(indexedDB: IDBFactory, version?: number): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('trpc-once', version);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

exposedStorageConformance('IndexedDB', async () => {
  const indexedDB = new IDBFactory();
  let last: ReturnType<typeof indexedDbStorage> | undefined;
  const close = async () => last?.close?.();
  return {
    async open() {
      await close();
      last = indexedDbStorage({ indexedDB });
      return last;
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

test('a write counts when its transaction is complete, not when its request succeeds', async () => {
  const storage = indexedDbStorage({ indexedDB: new IDBFactory() });
  await storage.set('id', 'former');
  const { objectStore } = IDBTransaction.prototype;
  vi.spyOn(IDBTransaction.prototype, 'objectStore').mockImplementationOnce(function (
    this: IDBTransaction,
    name,
  ) {
    const store = objectStore.call(this, name);
    const put = store.put.bind(store);
    store.put = (...record) => {
      const request = put(...record);
      // The disk fails after the request has succeeded.
      request.onsuccess = () => this.abort();
      return request;
    };
    return store;
  });
  await expect(storage.set('id', 'later')).rejects.toMatchObject({
    name: 'OutboxStorageError',
    reason: 'failed',
  });
  expect(await storage.entries()).toEqual([{ id: 'id', text: 'former' }]);
  await storage.close?.();
});

test('every transaction asks to be on disk before it is complete', async () => {
  const storage = indexedDbStorage({ indexedDB: new IDBFactory() });
  await storage.entries();
  const asked = vi.spyOn(IDBDatabase.prototype, 'transaction');
  await storage.set('id', 'text');
  await storage.delete('id');
  expect(asked.mock.calls.map((call) => call[2])).toEqual([
    { durability: 'strict' },
    { durability: 'strict' },
  ]);
  await storage.close?.();
});

test('a connection that the system closed behind the page is opened again, once', async () => {
  const storage = indexedDbStorage({ indexedDB: new IDBFactory() });
  await storage.set('id', 'text');
  const { transaction } = IDBDatabase.prototype;
  const lost = () => {
    throw new DOMException('The database connection is closing.', 'InvalidStateError');
  };
  const spy = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementationOnce(lost);
  expect(await storage.entries()).toEqual([{ id: 'id', text: 'text' }]);
  spy.mockImplementation(lost);
  await expect(storage.entries()).rejects.toMatchObject({ name: 'OutboxStorageError', reason: 'failed' });
  spy.mockImplementation(transaction);
  expect((await storage.entries()).length).toBe(1);
  await storage.close?.();
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

test('a full disk is told apart, and the former text is still there', async () => {
  const storage = indexedDbStorage({ indexedDB: new IDBFactory() });
  await storage.set('id', 'former');
  const { objectStore } = IDBTransaction.prototype;
  vi.spyOn(IDBTransaction.prototype, 'objectStore').mockImplementationOnce(function (
    this: IDBTransaction,
    name,
  ) {
    const store = objectStore.call(this, name);
    store.put = () => {
      throw new DOMException('Not enough space.', 'QuotaExceededError');
    };
    return store;
  });
  await expect(storage.set('id', 'later')).rejects.toMatchObject({ reason: 'quota' });
  expect(await storage.entries()).toEqual([{ id: 'id', text: 'former' }]);
  await storage.close?.();
});

test('where there is no IndexedDB, or none may be opened, every use says so, and the next use tries again', async () => {
  await expect(indexedDbStorage().entries()).rejects.toMatchObject({ reason: 'unavailable' });
  const factory = new IDBFactory();
  const open = factory.open.bind(factory);
  vi.spyOn(factory, 'open').mockImplementationOnce(() => {
    throw new DOMException('A mutation operation was attempted in private mode.', 'SecurityError');
  });
  const storage = indexedDbStorage({ indexedDB: factory });
  await expect(storage.set('id', 'text')).rejects.toMatchObject({ reason: 'unavailable' });
  vi.mocked(factory.open).mockImplementation(open);
  await storage.set('id', 'text');
  expect((await storage.entries()).length).toBe(1);
  await storage.close?.();
});
