import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { settled } from '../../testing/fake-clock.js';
import { call, lost, rejection, watched, world } from '../../testing/world.js';

let warn: MockInstance<typeof console.warn>;
beforeEach(() => {
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => {
  warn.mockRestore();
});

const once = { retry: { maxAttempts: 1 } };

/** An outbox with one operation that was tried in vain. */
async function withOneTried(change: Parameters<typeof call>[0] = {}) {
  const it = world();
  it.script.push(() => lost, ...Array.from({ length: 9 }, () => () => lost));
  const outbox = it.open();
  const { key } = await rejection(outbox.submit(call({ ...once, ...change })));
  return { ...it, outbox, key: key as string };
}

test('a layer that repeats calls without a name is told so once, with the key of the first', async () => {
  const { outbox, key } = await withOneTried();
  for (let again = 0; again < 3; again += 1) await rejection(outbox.submit(call(once)));
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]![0]).toContain(`orders.place has no outcome yet (key ${key})`);
  expect(warn.mock.calls[0]![0]).toContain('give both an intent');
});

test('so is one that repeats an operation which has a name', async () => {
  const { outbox } = await withOneTried({ intent: 'checkout:1' });
  await rejection(outbox.submit(call(once)));
  expect(warn).toHaveBeenCalledTimes(1);
});

test.each([
  ['with a lane', { lane: 'counter:1' }],
  ['with a key of its own', { key: 'mine' }],
  ['with an intent', { intent: 'checkout:2' }],
  ['with another input', { body: '{"sku":"milk"}' }],
  ['of another procedure', { path: 'orders.cancel' }],
])('a call %s is meant as an operation of its own, and nobody is told', async (_, change) => {
  const { outbox } = await withOneTried();
  await rejection(outbox.submit(call({ ...once, ...change })));
  expect(warn).not.toHaveBeenCalled();
});

test('"+1" twice, before the first was tried in vain, is nothing to tell of; nor is it in a lane, however often', async () => {
  const it = world();
  it.script.push(() => new Promise(() => {}));
  const outbox = it.open();
  const calls = [watched(outbox.submit(call())), watched(outbox.submit(call()))];
  await settled();
  expect(calls[1]!.data).toMatch(/^done/);
  await outbox.close();
  const lane = 'counter:1';
  const laned = await withOneTried({ lane });
  for (let more = 0; more < 3; more += 1) await rejection(laned.outbox.submit(call({ ...once, lane })));
  expect(warn).not.toHaveBeenCalled();
});

test("nor is it another owner's", async () => {
  const it = await withOneTried();
  const { outbox } = it;
  const after = world();
  after.texts.set(...[...it.texts][0]!);
  after.signedIn = 'bob';
  const bobs = after.open();
  await bobs.list();
  await bobs.submit(call(once));
  await outbox.close();
  expect(warn).not.toHaveBeenCalled();
});
