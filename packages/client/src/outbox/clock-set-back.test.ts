import { expect, test } from 'vitest';
import { amongProcesses } from '../testing/processes.js';
import { call, fails, lost, watched, world } from '../testing/world.js';

const HOUR_MS = 3_600_000;
const intent = 'checkout:1';

test('what a server asked to be waited for is waited for, and not an hour more', async () => {
  const it = world();
  it.script.push(() => fails(503, { settlement: 'released', retryAfterMs: 30_000 }, 30_000));
  const before = it.open();
  watched(before.submit(call({ key: 'a', waitMs: 1_000 })));
  await it.clock.advance(2_000);
  await before.close();
  it.clock.setBack(HOUR_MS);
  const resumed = watched(it.open().resume());
  await it.clock.advance(25_000);
  expect(it.sent.length).toBe(1);
  await it.clock.advance(10_000);
  expect(resumed.data).toEqual({ settled: 1, pending: 0 });
});

test('a call that joins does not wait for an attempt that is an hour away', async () => {
  const it = world();
  it.script.push(() => lost);
  const retry = { minDelayMs: 20_000, maxDelayMs: 20_000 };
  const before = it.open({ coordination: amongProcesses(it) });
  watched(before.submit(call({ intent, retry })));
  await it.clock.advance(1_000);
  await before.close();
  it.clock.setBack(HOUR_MS);
  const joined = watched(it.open({ coordination: amongProcesses(it) }).submit(call({ intent, retry })));
  await it.clock.advance(5_000);
  expect(joined.data).toMatch(/^done /);
  expect(it.effects.length).toBe(1);
});

test('an intent is free after its outcome all the same', async () => {
  const it = world();
  const outbox = it.open();
  await outbox.submit(call({ intent }));
  it.clock.setBack(HOUR_MS);
  await outbox.submit(call({ intent }));
  expect(it.effects.length).toBe(2);
});

test('what a killed process held is free after its lease', async () => {
  const it = world();
  const { signal } = new AbortController();
  await amongProcesses(it).hold('lead', signal);
  const left = new Map(it.texts);
  it.clock.setBack(HOUR_MS);
  const next = world();
  for (const [id, text] of left) next.texts.set(id, text);
  next.clock.setBack(HOUR_MS);
  const taken = watched(amongProcesses(next).hold('lead', signal));
  await next.clock.advance(10_000);
  expect(taken.ended).toBe(true);
});
