import 'fake-indexeddb/auto';
import { randomUUID } from 'node:crypto';
import { createAsyncStorage } from '@react-native-async-storage/async-storage';
import { asyncStorageStorage } from '@trpc-once/client/async-storage';
import { expect, test } from 'vitest';
import { sharedStorageConformance } from './outbox-storage.js';

// The real package, version 3, in the form it takes on the web: over IndexedDB.
sharedStorageConformance('AsyncStorage', async () => {
  const asyncStorage = createAsyncStorage(randomUUID());
  const open = async () => asyncStorageStorage(asyncStorage);
  return {
    open,
    another: open,
    damage: (id) => asyncStorage.setItem(`trpc-once:${id}`, '{"version":1,'),
    [Symbol.asyncDispose]: () => asyncStorage.clear(),
  };
});

test("the app's own items are left alone, and two prefixes are two outboxes", async () => {
  const asyncStorage = createAsyncStorage(randomUUID());
  await asyncStorage.setItem('theme', 'dark');
  const one = asyncStorageStorage(asyncStorage);
  const other = asyncStorageStorage(asyncStorage, { prefix: 'admin:' });
  await one.set('id', 'one');
  await other.set('id', 'other');
  expect(await one.entries()).toEqual([{ id: 'id', text: 'one' }]);
  expect(await other.entries()).toEqual([{ id: 'id', text: 'other' }]);
  expect(await asyncStorage.getItem('theme')).toBe('dark');
});

test.each([
  ['ASCII', 'x', 1_900_000],
  ['two bytes each', 'é', 950_000],
  ['three bytes each', '€', 633_333],
  ['four bytes each', '😀', 475_000],
])(
  'case 53: a record that Android could not read again is refused, and nothing is stored (%s)',
  async (_, one, most) => {
    const asyncStorage = createAsyncStorage(randomUUID());
    const storage = asyncStorageStorage(asyncStorage);
    await storage.set('fits', one.repeat(most));
    const tooLarge = { name: 'OutboxStorageError', reason: 'too-large' };
    await expect(storage.set('id', one.repeat(most + 1))).rejects.toMatchObject(tooLarge);
    await expect(storage.swap('id', undefined, one.repeat(most + 1))).rejects.toMatchObject(tooLarge);
    expect((await storage.entries()).map(({ id }) => id)).toEqual(['fits']);
  },
);

test("a row that cannot be read, as above Android's 2 MB, hides no other", async () => {
  const asyncStorage = createAsyncStorage(randomUUID());
  const storage = asyncStorageStorage({
    ...asyncStorage,
    getAllKeys: () => asyncStorage.getAllKeys(),
    setItem: (key, text) => asyncStorage.setItem(key, text),
    removeItem: (key) => asyncStorage.removeItem(key),
    getItem: (key) =>
      key.endsWith('large')
        ? Promise.reject(new Error('Row too big to fit into CursorWindow requiredPos=0, totalRows=1'))
        : asyncStorage.getItem(key),
  });
  await storage.set('large', 'text');
  await storage.set('fine', 'text');
  const found = Object.fromEntries((await storage.entries()).map(({ id, text }) => [id, text]));
  expect(found).toEqual({ large: undefined, fine: 'text' });
  await expect(storage.get('large')).rejects.toMatchObject({ name: 'OutboxStorageError', reason: 'failed' });
});

test.each([
  ['database or disk is full (code 13 SQLITE_FULL)', 'quota'],
  ['No space left on device', 'quota'],
  ['Native module is null, cannot access legacy storage', 'failed'],
])('what a native module says is told apart: %s', async (message, reason) => {
  const refuse = () => Promise.reject(new Error(message));
  const storage = asyncStorageStorage({
    getItem: refuse,
    setItem: refuse,
    removeItem: refuse,
    getAllKeys: refuse,
  });
  await expect(storage.set('id', 'text')).rejects.toMatchObject({ name: 'OutboxStorageError', reason });
  await expect(storage.entries()).rejects.toMatchObject({
    reason: reason === 'failed' ? 'unavailable' : reason,
  });
});
