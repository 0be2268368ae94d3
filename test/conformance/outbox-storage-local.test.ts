import { isOutboxStorageError, localStorageStorage } from '@trpc-once/client';
import { expect, test } from 'vitest';
import { sharedStorageConformance } from './outbox-storage.js';
import { WebStorage } from './web-storage.js';

sharedStorageConformance('localStorage', async () => {
  const storage = new WebStorage();
  return {
    open: async () => localStorageStorage({ storage }),
    another: async () => localStorageStorage({ storage }),
    damage: async (id) => storage.setItem(`trpc-once:${id}`, '{"version":1,"key":'),
    async [Symbol.asyncDispose]() {},
  };
});

test('when localStorage is full, the error says so and the former text is still there', async () => {
  const storage = new WebStorage(100);
  const outbox = localStorageStorage({ storage });
  await outbox.set('id', 'former');
  const error = await outbox.set('id', 'x'.repeat(100)).catch((error: unknown) => error);
  expect(isOutboxStorageError(error)).toBe(true);
  expect(error).toMatchObject({ reason: 'quota', storage: 'localStorage trpc-once:' });
  expect(await outbox.entries()).toEqual([{ id: 'id', text: 'former' }]);
});

test('where localStorage may not even be named, every use says that it is unavailable', async () => {
  const outbox = localStorageStorage();
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    get() {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    },
  });
  try {
    for (const use of [outbox.entries(), outbox.set('id', 'text'), outbox.delete('id')])
      await expect(use).rejects.toMatchObject({ name: 'OutboxStorageError', reason: 'unavailable' });
  } finally {
    Reflect.deleteProperty(globalThis, 'localStorage');
  }
});

test('on a server there is no localStorage, and making the storage does no harm', async () => {
  await expect(localStorageStorage().entries()).rejects.toMatchObject({ reason: 'unavailable' });
});

test.each(['QuotaExceededError', 'NS_ERROR_DOM_QUOTA_REACHED', 'QUOTA_EXCEEDED_ERR'])(
  'a full storage that calls it %s is told apart, and so is one that has no room at all',
  async (kind) => {
    const storage = new WebStorage();
    storage.setItem = () => {
      throw new DOMException('as this browser words it', kind);
    };
    const outbox = localStorageStorage({ storage });
    for (const write of [() => outbox.set('id', ''), () => outbox.swap('id', undefined, '')])
      await expect(write()).rejects.toMatchObject({ name: 'OutboxStorageError', reason: 'quota' });
    expect(await outbox.entries()).toEqual([]);
  },
);

test("other people's items are left alone, and two prefixes are two outboxes", async () => {
  const storage = new WebStorage();
  storage.setItem('theme', 'dark');
  const one = localStorageStorage({ storage });
  const other = localStorageStorage({ storage, prefix: 'admin:' });
  await one.set('id', 'one');
  await other.set('id', 'other');
  expect(await one.entries()).toEqual([{ id: 'id', text: 'one' }]);
  expect(await other.entries()).toEqual([{ id: 'id', text: 'other' }]);
  expect(storage.getItem('theme')).toBe('dark');
});
