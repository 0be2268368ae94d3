import { expect, test } from 'vitest';
import { RetryBudget } from '../attempts/retry-budget.js';
import { giveUp, HOUR, IDLE_TIMERS, MINUTE, outage, started } from '../testing/giving-up.js';
import { amongProcesses } from '../testing/processes.js';
import { call, fails, lost, textStorage, watched, world } from '../testing/world.js';

test('what is pending when storage cannot be read at the start is resumed when it can, alone and among processes', async () => {
  for (const isShared of [false, true]) {
    const it = world();
    it.script.push(() => lost);
    const former = it.open();
    await giveUp(it, former);
    await former.close();
    let refuses = true;
    const texts = textStorage(it.texts);
    const storage = textStorage(it.texts, {
      entries: () => (refuses ? Promise.reject(new Error('another process has it')) : texts.entries()),
    });
    const outbox = started(it, { storage, ...(isShared && { coordination: amongProcesses(it) }) });
    await it.clock.advance(20_000);
    expect(it.told).toEqual([]);
    refuses = false;
    await it.clock.advance(5_000);
    expect(it.told.map(({ operation }) => operation.key)).toEqual(['spent']);
    const closed = outbox.close();
    await it.clock.advance(1_000);
    await closed;
  }
});

test('an operation whose attempts are spent is asked for within the minute, nobody calling, and onSettled hears', async () => {
  const it = world();
  const outbox = started(it);
  it.script.push(() => lost);
  const key = await giveUp(it, outbox);
  await it.clock.advance(MINUTE / 2);
  expect(it.sent).toEqual([]);
  await it.clock.advance(MINUTE / 2);
  expect(it.told.map(({ operation }) => operation.key)).toEqual([key]);
  expect([it.texts.size, it.clock.pending]).toEqual([0, IDLE_TIMERS]);
});

test('in a long outage it rests twice as long each time, up to a quarter of an hour, and sends one attempt then', async () => {
  const it = world();
  const outbox = started(it);
  outage(it);
  watched(outbox.submit(call({ retry: { maxAttempts: 3 } })));
  await it.clock.advance(10_000);
  const { at: begun } = (await outbox.list())[0]!.notes.at(-1)!;
  const at: number[] = [];
  outbox.subscribe(({ type }) => type === 'sending' && at.push((it.clock.now() - begun) / MINUTE));
  await it.clock.advance(2 * HOUR);
  const rests = at.map((time, n) => time - (at[n - 1] ?? 0));
  expect(rests[0]).toBeLessThanOrEqual(0.75);
  // Of 2, 4, 8, 15, 15, ... each with half of the jitter's range.
  expect(rests.slice(1, 6).map((rest) => rest.toFixed(2))).toEqual([
    '1.50',
    '3.00',
    '6.00',
    '11.25',
    '11.25',
  ]);
  expect(at.length).toBeLessThanOrEqual(14);
});

test('the first outcome after an outage has everything asked for soon that had come to rest for long', async () => {
  const it = world();
  const outbox = started(it);
  outage(it);
  await giveUp(it, outbox);
  await it.clock.advance(2 * HOUR);
  it.script.length = 0;
  await outbox.submit(call());
  await it.clock.advance(MINUTE);
  expect(it.told.map(({ operation }) => operation.key)).toEqual(['spent']);
});

test('what is answered for others all the time does not have a broken one asked for more than once a minute', async () => {
  const it = world();
  const outbox = started(it);
  const broken = Array(10_000).fill(({ path }: { path: string }, commit: () => never) =>
    path === 'broken' ? fails(500) : commit(),
  );
  it.script.push(...broken);
  await giveUp(it, outbox, { path: 'broken' });
  for (let second = 0; second < 600; second += 1) {
    await outbox.submit(call());
    await it.clock.advance(1_000);
  }
  const asked = it.sent.filter(({ path }) => path === 'broken').length;
  expect(asked).toBeGreaterThan(5);
  expect(asked).toBeLessThanOrEqual(20);
});

test('one that is given up late in an outage is asked for within the minute, before those that have been in vain for long', async () => {
  const it = world();
  const outbox = started(it);
  outage(it);
  for (let n = 0; n < 20; n += 1) await giveUp(it, outbox, { key: `long-${n}` });
  await it.clock.advance(2 * HOUR);
  await giveUp(it, outbox, { key: 'new' });
  await it.clock.advance(MINUTE);
  expect(it.sent.map(({ key }) => key)).toContain('new');
});

test('an operation that is in progress for ever is asked for two minutes at a time, and rests in between', async () => {
  const it = world();
  const outbox = started(it);
  it.script.push(...Array(5_000).fill(() => fails(409, { refusal: 'IN_PROGRESS' })));
  const begun = it.clock.now();
  watched(outbox.submit(call()));
  const at: number[] = [];
  outbox.subscribe(({ type }) => type === 'sending' && at.push(it.clock.now()));
  await it.clock.advance(2 * HOUR);
  const rests = at
    .map((time, n) => [at[n - 1] ?? time, time] as const)
    .filter(([from, to]) => to - from > 5_000);
  expect(rests.length).toBeGreaterThan(5);
  expect(rests[0]![0] - begun).toBeLessThanOrEqual(2 * MINUTE);
  expect(rests.at(-1)![1] - rests.at(-1)![0]).toBeGreaterThan(7 * MINUTE);
});

test('300 operations in an outage of three hours send a probe now and then, and all settle after it', async () => {
  const it = world();
  const outbox = started(it, { budget: new RetryBudget(it.clock, Math.random) });
  outage(it);
  const calls = Array.from({ length: 300 }, (_, n) =>
    outbox.submit(call({ key: `key-${n}`, retry: { maxAttempts: 1 } })),
  );
  await Promise.all(calls.map((one) => one.catch(() => {})));
  const before = it.sent.length;
  await it.clock.advance(3 * HOUR);
  // Ten seconds apart at most closely, once the budget is used up.
  // What is left of the budget, then three in each quarter of an hour.
  expect(it.sent.length - before).toBeLessThan(150);
  it.script.length = 0;
  await it.clock.advance(20 * MINUTE);
  expect(new Set(it.told.map(({ operation }) => operation.key)).size).toBe(300);
  expect(it.texts.size).toBe(0);
}, 60_000);

test('an outcome that onSettled refuses is told again by time, more and more rarely, until it is heard', async () => {
  const it = world();
  let refusals = 12;
  const at: number[] = [];
  const outbox = started(it, {
    onSettled: () => {
      at.push(it.clock.now());
      if (refusals-- > 0) throw new Error('the database is away');
    },
  });
  it.script.push(() => lost);
  await giveUp(it, outbox);
  await it.clock.advance(3 * HOUR);
  expect(at.length).toBe(13);
  expect(at[1]! - at[0]!).toBe(0.75 * MINUTE);
  expect(at.at(-1)! - at.at(-2)!).toBe(11.25 * MINUTE);
  expect([it.effects.length, it.sent.length, it.texts.size]).toEqual([1, 1, 0]);
});

test('an outcome that onSettled refuses does not have what is in vain asked for more often, read from storage again or not', async () => {
  for (const coordination of [undefined, true]) {
    const it = world();
    const outbox = started(it, {
      onSettled: () => Promise.reject(new Error('the database is away')),
      ...(coordination && { coordination: amongProcesses(it) }),
    });
    it.script.push(() => lost);
    await giveUp(it, outbox, { key: 'undelivered' });
    await it.clock.advance(MINUTE);
    outage(it);
    await giveUp(it, outbox);
    await it.clock.advance(HOUR);
    expect(it.sent.length).toBeLessThan(12);
    await outbox.close();
  }
});
