import { expect, test } from 'vitest';
import { OutboxStorageError, type StorageFailure } from '../errors/outbox-storage-error.js';
import { settled } from '../testing/fake-clock.js';
import { call, lost, textStorage, watched, world } from '../testing/world.js';
import { coordinatedBy } from './coordination/coordinated-by.js';

/** Shared by leases, over a storage that refuses whatever is written as soon as it is told to. */
function sharedWorld(reason: StorageFailure, readsToo = false) {
  const it = world();
  let refuses = false;
  const refuse = <T>(act: T): T =>
    refuses ? ((() => Promise.reject(new OutboxStorageError('texts', reason, 'no'))) as T) : act;
  const free = textStorage(it.texts);
  const storage = textStorage(it.texts, {
    coordination: coordinatedBy(() => ({
      carries: false,
      hold: () => refuse(async () => ({ lost: false, release() {} }))(),
      tell() {},
      hear: () => () => {},
    })),
    set: (...all) => refuse(free.set)(...all),
    swap: (...all) => refuse(free.swap)(...all),
    delete: (...all) => refuse(free.delete)(...all),
    get: (...all) => (readsToo ? refuse(free.get) : free.get)(...all),
  });
  const refuseAll = () => {
    refuses = true;
  };
  return { it, outbox: it.open({ storage }), refuseAll };
}

test.each([
  ['a full disk', 'quota', false],
  ['a disk that is gone for a while', 'unavailable', true],
] as const)('%s ends nobody’s asking for what it has kept', async (_, reason, readsToo) => {
  const { it, outbox, refuseAll } = sharedWorld(reason, readsToo);
  it.script.push(
    () => lost,
    () => lost,
  );
  const seen = watched(outbox.submit(call({ key: 'k', intent: 'i' })));
  await settled();
  expect(it.sent.length).toBe(1);
  refuseAll();
  await it.clock.advance(20_000);
  expect(seen.data).toBe('done k');
  expect(it.events.some(({ type }) => type === 'storage-failed')).toBe(true);
  const refused = watched(outbox.submit(call({ key: 'new', intent: 'other' })));
  await settled();
  expect(refused.error).toMatchObject({ name: 'NotSentError', reason: 'storage' });
  expect(it.effects).toEqual(['k']);
});

test('what is another’s by now is not asked for', async () => {
  const { it, outbox, refuseAll } = sharedWorld('in-use');
  it.script.push(() => lost);
  const seen = watched(outbox.submit(call({ key: 'k' })));
  await settled();
  refuseAll();
  await it.clock.advance(20_000);
  expect(seen.error).toMatchObject({ name: 'OutcomeUnknownError', cause: { reason: 'in-use' } });
  expect(it.sent.length).toBe(1);
});
