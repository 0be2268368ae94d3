import { expect, test } from 'vitest';
import { settled } from '../testing/fake-clock.js';
import { amongProcesses } from '../testing/processes.js';
import type { OpenOptions } from '../testing/world.js';
import { call, rejection, textStorage, watched, world } from '../testing/world.js';
import { operationId } from './operation/operation.js';

/** A storage that refuses everything, and tells nothing, until a test has it work. */
function refusing() {
  const it = world();
  const texts = textStorage(it.texts);
  let works = false;
  const use =
    <A extends unknown[], T>(how: (...args: A) => Promise<T>): typeof how =>
    async (...args) => {
      if (!works) throw new Error('EIO');
      return how(...args);
    };
  const { get, set, swap, delete: remove } = texts;
  const storage = { ...texts, get: use(get), set: use(set), swap: use(swap), delete: use(remove) };
  const { send } = it;
  /** Of everything that is sent, whether it is stored. */
  const stored: boolean[] = [];
  it.send = (attempt) => {
    stored.push(it.texts.has(operationId({ owner: 'ann', key: attempt.key })));
    return send(attempt);
  };
  const open = (options: OpenOptions = {}) => it.open({ storage, ...options });
  return {
    ...it,
    stored,
    open,
    work() {
      works = true;
    },
  };
}

const rhythm = { minDelayMs: 300, maxDelayMs: 500 };

test('what storage refused, and may have kept, is told so: neither that it is kept nor that nothing will be sent', async () => {
  const { open, stored, clock } = refusing();
  const outbox = open();
  const meant = { intent: 'i', body: null };
  for (const key of ['key 1', 'key 2']) {
    const error = await rejection(outbox.submit({ ...call(meant), key }));
    expect(error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'storage', mayHaveRun: false });
    expect(error.message).toMatch(/storage has not said yet whether it is kept$/);
  }
  const waiting = watched(outbox.wait('key 1', { waitMs: 0 }));
  await clock.advance(0);
  expect(waiting.error).toMatchObject({ reason: 'storage' });
  expect(stored).toEqual([]);
});

test.each([
  ['alone', false],
  ['among processes', true],
])('nothing is sent by time before it is stored: %s', async (_, isShared) => {
  const it = refusing();
  const outbox = it.open({ rhythm, ...(isShared && { coordination: amongProcesses(it as never) }) });
  outbox.start();
  await settled();
  const error = watched(outbox.submit(call({ key: 'a' })));
  await it.clock.advance(5_000);
  expect(error.error).toMatchObject({ reason: 'storage' });
  expect(it.events.map(({ type }) => type)).toContain('storage-failed');
  expect([it.stored, outbox.snapshot().map(({ key }) => key)]).toEqual([[], ['a']]);
  it.work();
  // Which finds nothing, and takes it for nobody's work.
  await outbox.list();
  await it.clock.advance(5_000);
  expect(it.stored).toEqual([true]);
  expect(it.told.map(({ operation }) => operation.key)).toEqual(['a']);
  await Promise.all([outbox.close(), it.clock.advance(30_000)]);
});

test('nothing is sent by resume() before it is stored, and it can be resumed until it is', async () => {
  for (const all of [true, false]) {
    const it = refusing();
    const outbox = it.open();
    await rejection(outbox.submit(call({ key: 'a' })));
    if (all) expect(await outbox.resume()).toEqual({ settled: 0, pending: 1 });
    else expect(await rejection(outbox.resume('a'))).toMatchObject({ reason: 'storage' });
    expect([it.stored, outbox.snapshot().length]).toEqual([[], 1]);
    it.work();
    if (all) expect(await outbox.resume()).toEqual({ settled: 1, pending: 0 });
    else expect(await outbox.resume('a')).toBe('done a');
    expect(it.stored).toEqual([true]);
  }
});
