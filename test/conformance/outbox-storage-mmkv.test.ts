import { type MmkvLike, mmkvStorage } from '@trpc-once/client/mmkv';
import { expect, test } from 'vitest';
import { sharedStorageConformance } from './outbox-storage.js';

/**
 * An instance as react-native-mmkv documents it; the real one needs a phone's native code. Version 4 throws for an empty
 * key, says whether it removed, and has no `delete`; version 3 has `delete` and no `remove`.
 */
function mmkv(version: 3 | 4): MmkvLike {
  const items = new Map<string, string | number>();
  const remove = (key: string) => items.delete(key);
  return {
    getString(key) {
      const item = items.get(key);
      return typeof item === 'string' ? item : undefined;
    },
    set(key, value) {
      if (key === '') throw new Error('Cannot set a value for an empty key!');
      items.set(key, value);
    },
    getAllKeys: () => [...items.keys()],
    ...(version === 3 ? { delete: (key: string) => void remove(key) } : { remove }),
  } as MmkvLike;
}

for (const version of [3, 4] as const)
  sharedStorageConformance(`MMKV ${version}`, async () => {
    const instance = mmkv(version);
    const open = async () => mmkvStorage(instance);
    return {
      open,
      another: open,
      damage: async (id) => instance.set(`trpc-once:${id}`, '{"version":1,'),
      async [Symbol.asyncDispose]() {},
    };
  });

test('an instance that throws is told of as a storage that refuses', async () => {
  const instance = mmkv(4);
  instance.set = () => {
    throw new Error('MMKV instance is read-only');
  };
  const storage = mmkvStorage(instance);
  await expect(storage.set('id', 'text')).rejects.toMatchObject({
    name: 'OutboxStorageError',
    reason: 'failed',
    storage: 'MMKV trpc-once:',
  });
  expect(await storage.entries()).toEqual([]);
});

test('an empty id is no trouble, for the prefix is in front of it', async () => {
  const storage = mmkvStorage(mmkv(4));
  await storage.set('', 'text');
  expect(await storage.entries()).toEqual([{ id: '', text: 'text' }]);
});
