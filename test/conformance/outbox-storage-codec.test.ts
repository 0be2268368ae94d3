import { memoryStorage, type OutboxStorage, OutboxStorageError, withCodec } from '@trpc-once/client';
import { expect, test } from 'vitest';
import { aesGcmCodec, newKey } from './aes-gcm-codec.js';
import { sharedStorageConformance } from './outbox-storage.js';

const id = JSON.stringify(['ann@example.org', 'key-1']);
const keys = { one: await newKey(), two: await newKey() };

sharedStorageConformance('memory with AES-GCM', async () => {
  const inner = memoryStorage();
  const open = async () => withCodec(inner, aesGcmCodec(keys, 'one'));
  return {
    open,
    another: open,
    async damage(damaged) {
      const before = await inner.entries();
      await (await open()).delete(damaged);
      const after = await inner.entries();
      const [gone] = before.filter((entry) => !after.some((other) => other.id === entry.id));
      await inner.set(gone!.id, gone!.text!.slice(0, -9));
    },
    async [Symbol.asyncDispose]() {},
  };
});

const decoded = async (storage: OutboxStorage) =>
  Object.fromEntries((await storage.entries()).map((entry) => [entry.id, entry.text]));

test('neither owner nor key nor anything of the text lies in the storage', async () => {
  const inner = memoryStorage();
  const storage = withCodec(inner, aesGcmCodec(keys, 'one'));
  await storage.set(id, '{"intent":"checkout:7","body":"4111 1111"}');
  await storage.swap(
    id,
    '{"intent":"checkout:7","body":"4111 1111"}',
    '{"intent":"checkout:7","path":"orders.place"}',
  );
  const lying = JSON.stringify(await inner.entries());
  for (const secret of ['ann', 'example', 'key-1', 'checkout', 'orders', '4111', 'intent'])
    expect(lying).not.toContain(secret);
});

test('after the key was changed, former records are read, and written anew with the new one', async () => {
  const inner = memoryStorage();
  const other = JSON.stringify(['ann@example.org', 'key-2']);
  await withCodec(inner, aesGcmCodec(keys, 'one')).set(id, 'former');
  const storage = withCodec(inner, aesGcmCodec(keys, 'two'));
  await storage.set(other, 'new');
  expect(await decoded(storage)).toEqual({ [id]: 'former', [other]: 'new' });
  expect(await storage.swap(id, 'former', 'later')).toBe(true);
  // The former key may go as soon as nothing is left of it.
  const without = withCodec(inner, aesGcmCodec({ two: keys.two }, 'two'));
  expect(await decoded(without)).toEqual({ [id]: 'later', [other]: 'new' });
});

test('a record of a lost key is set aside with a reason, as it is, and is back when the key is', async () => {
  const inner = memoryStorage();
  await withCodec(inner, aesGcmCodec(keys, 'one')).set(id, 'text');
  const [lying] = await inner.entries();
  const without = withCodec(inner, aesGcmCodec({ two: keys.two }, 'two'));
  await without.set('other', 'fine');
  const found = await without.entries();
  expect(found).toContainEqual({ id: 'other', text: 'fine' });
  expect(found).toContainEqual({ ...lying, reason: expect.stringContaining('there is no key one') });
  // What lies there is not what was stored: nobody replaces it by knowing it.
  expect(await without.swap(id, lying!.text, 'other')).toBe(false);
  expect(await inner.get(lying!.id)).toEqual(lying);
  expect((await decoded(withCodec(inner, aesGcmCodec(keys, 'two'))))[id]).toBe('text');
});

test('a record that this process has known is still named by its own id when it cannot be decoded any more', async () => {
  const some: Record<string, CryptoKey> = { ...keys };
  const storage = withCodec(memoryStorage(), aesGcmCodec(some, 'one'));
  await storage.set(id, 'text');
  delete some['one'];
  expect(await storage.entries()).toMatchObject([{ id, reason: expect.stringContaining('decoded') }]);
});

test('a record that was copied over another, or changed, is nobody’s', async () => {
  const inner = memoryStorage();
  const storage = withCodec(inner, aesGcmCodec(keys, 'one'));
  await storage.set(id, 'mine');
  const [mine] = await inner.entries();
  const ben = JSON.stringify(['ben@example.org', 'key-1']);
  await storage.set(ben, 'his');
  const his = (await inner.entries()).find((entry) => entry.id !== mine!.id);
  await inner.set(his!.id, mine!.text!);
  const again = withCodec(inner, aesGcmCodec(keys, 'one'));
  const reasons = (await again.entries()).map(({ id: one, reason }) => [one, reason !== undefined]);
  expect(Object.fromEntries(reasons)).toEqual({ [id]: false, [his!.id]: true });
});

test('while the key cannot be had, every reading is refused instead of showing less', async () => {
  const locked = new OutboxStorageError('keychain', 'unavailable', 'the device is locked');
  const inner = memoryStorage();
  const codec = aesGcmCodec(keys, 'one');
  await withCodec(inner, codec).set(id, 'text');
  const refuse = () => Promise.reject(locked);
  const storage = withCodec(inner, { encode: refuse, decode: refuse });
  for (const use of [
    () => storage.entries(),
    () => storage.get(id),
    () => storage.set(id, 'other'),
    () => storage.swap(id, 'text', 'other'),
  ])
    await expect(use()).rejects.toBe(locked);
  expect(await decoded(withCodec(inner, codec))).toEqual({ [id]: 'text' });
});

test('a record that cannot be encoded is refused, and nothing is stored', async () => {
  const inner = memoryStorage();
  const storage = withCodec(inner, {
    encode: () => {
      throw new Error('no such cipher');
    },
    decode: (text) => text,
  });
  const refused = { name: 'OutboxStorageError', reason: 'codec' };
  await expect(storage.set(id, 'text')).rejects.toMatchObject(refused);
  await expect(storage.swap(id, undefined, 'text')).rejects.toMatchObject(refused);
  expect(await inner.entries()).toEqual([]);
});

test('a codec that gives no text is refused, for a record or for its name, and nothing is stored', async () => {
  const inner = memoryStorage();
  const plain = { encode: (text: string) => text, decode: (text: string) => text };
  for (const given of [undefined, null, Buffer.from('text'), { text: 'text' }]) {
    const none = async () => given as unknown as string;
    for (const codec of [
      { ...plain, encode: none },
      { ...plain, nameOf: none },
    ])
      await expect(withCodec(inner, codec).set(id, 'text')).rejects.toMatchObject({
        name: 'OutboxStorageError',
        reason: 'codec',
        message: expect.stringContaining('instead of a text'),
      });
  }
  expect(await inner.entries()).toEqual([]);
});

test('records from before there was a codec are set aside, or taken over and encoded if that is asked for', async () => {
  const inner = memoryStorage();
  await inner.set(id, 'plain');
  const strict = withCodec(inner, aesGcmCodec(keys, 'one'));
  expect(await strict.entries()).toMatchObject([{ id, text: 'plain', reason: expect.any(String) }]);
  const adopting = withCodec(inner, aesGcmCodec(keys, 'one'), { adoptPlain: true });
  expect(await adopting.entries()).toEqual([{ id, text: 'plain' }]);
  expect(JSON.stringify(await inner.entries())).not.toContain('ann');
  expect(await strict.entries()).toEqual([{ id, text: 'plain' }]);
});

test('a plain record that was taken over and has moved on since does not come back', async () => {
  const inner = memoryStorage();
  const storage = withCodec(inner, aesGcmCodec(keys, 'one'), { adoptPlain: true });
  await storage.set(id, 'moved on');
  // The process ended between taking it over and deleting it.
  await inner.set(id, 'plain');
  expect(await decoded(storage)).toEqual({ [id]: 'moved on' });
  expect((await inner.entries()).length).toBe(1);
});

test('a keyed digest can name the records, where keys can be guessed', async () => {
  const inner = memoryStorage();
  const storage = withCodec(inner, {
    encode: (text) => [...text].reverse().join(''),
    decode: (text) => [...text].reverse().join(''),
    nameOf: async (one) => `digest-${one.length}`,
  });
  await storage.set(id, 'text');
  expect((await inner.entries()).map((entry) => entry.id)).toEqual([`digest-${id.length}`]);
  expect(await storage.get(id)).toEqual({ id, text: 'text' });
});
