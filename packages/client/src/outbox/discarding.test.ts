import { expect, test } from 'vitest';
import { isOutboxStorageError, OutboxStorageError } from '../errors/outbox-storage-error.js';
import { Browser } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { call, lost, rejection, textStorage, type World, world } from '../testing/world.js';

const cut = '["ann","key-cut"]';
const his = '["ben","key-cut"]';

/** A world with a cut record of each of two owners, and a pending operation. */
async function damagedWorld(): Promise<World> {
  const it = world();
  it.texts.set(cut, '{"version":1,"key":"key-cut","owner":"ann","body":"4111');
  it.texts.set(his, '{"version":1,"key":"key-cut","owner":"ben","body":"4111');
  it.script.push(() => lost);
  await it
    .open()
    .submit(call({ key: 'pending', retry: { maxAttempts: 1 } }))
    .catch(() => {});
  return it;
}

test('a damaged record that was looked at can be discarded, and nothing else goes with it', async () => {
  const it = await damagedWorld();
  const outbox = it.open();
  await outbox.list();
  await outbox.discard(cut);
  expect(outbox.damaged()).toEqual([]);
  expect([...it.texts.keys()].sort()).toEqual(['["ann","pending"]', his]);
  await outbox.list();
  expect(outbox.damaged()).toEqual([]);
});

test.each([
  ['a pending operation', '["ann","pending"]'],
  ["another owner's damaged record", his],
  ['what is not there', '["ann","nothing"]'],
])('%s is not discarded, and the error says so', async (_, id) => {
  const it = await damagedWorld();
  const before = new Map(it.texts);
  const outbox = it.open();
  await outbox.list();
  const error = await rejection(outbox.discard(id));
  expect(isOutboxStorageError(error)).toBe(true);
  expect(error).toMatchObject({ reason: 'not-damaged', message: expect.stringContaining(id) });
  expect(it.texts).toEqual(before);
});

test('a damaged record that nobody has looked at is not discarded', async () => {
  const it = await damagedWorld();
  await expect(it.open().discard(cut)).rejects.toMatchObject({ reason: 'not-damaged' });
  expect(it.texts.has(cut)).toBe(true);
});

test('a record that has changed since it was looked at is not discarded before it is looked at again', async () => {
  const it = await damagedWorld();
  const outbox = it.open();
  await outbox.list();
  it.texts.set(cut, '{"version":2,"key":"key-cut","owner":"ann","state":"sending"}');
  await expect(outbox.discard(cut)).rejects.toMatchObject({ reason: 'not-damaged' });
  expect(it.texts.has(cut)).toBe(true);
  await outbox.discard(cut);
  expect(it.texts.has(cut)).toBe(false);
});

test('a record that is read again, as when the key of its codec is back, is an operation and not discarded', async () => {
  const it = await damagedWorld();
  const outbox = it.open();
  await outbox.list();
  it.texts.set(cut, it.texts.get('["ann","pending"]')!.replace('"pending"', '"key-cut"'));
  await expect(outbox.discard(cut)).rejects.toMatchObject({ reason: 'not-damaged' });
  expect(outbox.snapshot().map(({ key }) => key)).toEqual(['key-cut', 'pending']);
});

test('of two tabs one discards it, and the other is told that it is gone', async () => {
  const it = await damagedWorld();
  const browser = new Browser(it);
  const [one, other] = [browser.open().outbox, browser.open().outbox];
  await Promise.all([one.list(), other.list()]);
  await one.discard(cut);
  expect(other.damaged().map(({ id }) => id)).toEqual([cut]);
  await expect(other.discard(cut)).rejects.toMatchObject({ reason: 'not-damaged' });
  expect(other.damaged()).toEqual([]);
});

test('when storage refuses, the record is still there and still listed', async () => {
  const it = await damagedWorld();
  const refusing = textStorage(it.texts, {
    delete: () => Promise.reject(new OutboxStorageError('texts', 'failed', 'read only')),
  });
  const outbox = it.open({ storage: refusing });
  await outbox.list();
  await expect(outbox.discard(cut)).rejects.toMatchObject({ reason: 'failed' });
  await outbox.list();
  expect(outbox.damaged().map(({ id }) => id)).toEqual([cut]);
  await settled();
});
