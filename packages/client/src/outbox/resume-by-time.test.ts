import { expect, test } from 'vitest';
import { RetryBudget } from '../attempts/retry-budget.js';
import { Browser } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { amongProcesses } from '../testing/processes.js';
import {
  call,
  fails,
  lost,
  type OpenOptions,
  refused,
  textStorage,
  type World,
  watched,
  world,
} from '../testing/world.js';
import type { DurableOutbox } from './durable-outbox.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const rhythm = { minDelayMs: MINUTE, maxDelayMs: 15 * MINUTE };
/** As long as the server is away. */
const outage = (it: World, evidence = lost) => it.script.push(...Array(5_000).fill(() => evidence));
const once = { maxAttempts: 1 };

function started(it: World, options: OpenOptions = {}): DurableOutbox {
  const outbox = it.open({ rhythm, ...options });
  outbox.start();
  return outbox;
}

/** Calls, lets the call fail, and forgets what was sent until then. */
async function giveUp(it: World, outbox: DurableOutbox, change: Parameters<typeof call>[0] = {}) {
  const { key = 'spent' } = change;
  await outbox.submit(call({ key, retry: once, ...change })).catch(() => {});
  it.sent.length = 0;
  return key;
}

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
  expect([it.texts.size, it.clock.pending]).toEqual([0, 0]);
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

test('what the server put off is asked for when that time is over, and not all of it in the same moment', async () => {
  const it = world();
  const outbox = started(it);
  const hours = 30 * 24 * HOUR;
  it.script.push(() => fails(503, undefined, hours));
  await giveUp(it, outbox, { retentionMs: 2 * hours });
  expect(await outbox.list()).toMatchObject([{ parked: 'retry-later' }]);
  // That is further off than a timer reaches.
  await it.clock.advance(hours);
  expect(it.sent).toEqual([]);
  await it.clock.advance(MINUTE);
  expect(it.sent.length).toBe(1);
  expect(it.told.length).toBe(1);
});

test('what was put off before a reload is asked for at its time after it', async () => {
  const it = world();
  it.script.push(() => fails(503, undefined, HOUR));
  await giveUp(it, it.open());
  await it.clock.advance(HOUR / 2);
  started(it);
  await it.clock.advance(HOUR / 2);
  expect(it.sent).toEqual([]);
  await it.clock.advance(MINUTE);
  expect(it.told.length).toBe(1);
});

test.each([
  ['spent', lost],
  ['put off', fails(503, undefined, HOUR)],
])(
  'a clock that is set back by years delays what was %s by no more than it had to wait',
  async (_, evidence) => {
    const it = world();
    const outbox = started(it);
    it.script.push(() => evidence);
    await giveUp(it, outbox);
    it.clock.setBack(10 * 365 * 24 * HOUR);
    await it.clock.advance(2 * HOUR + 3 * MINUTE);
    expect(it.told.length).toBe(1);
  },
);

test('a clock that runs ahead and is put right before a reload holds nothing up for longer', async () => {
  const it = world();
  it.script.push(() => fails(503, undefined, HOUR));
  await giveUp(it, it.open());
  it.clock.setBack(10 * 365 * 24 * HOUR);
  started(it);
  await it.clock.advance(HOUR + MINUTE);
  expect(it.told.length).toBe(1);
});

const forSomebody = [
  ['unauthorized', 'parked', () => fails(401)],
  ['indeterminate', 'parked', () => fails(409, { refusal: 'INDETERMINATE' })],
  ['declined', 'parked', () => fails(403)],
  ['expired', 'expired', () => fails(412, { refusal: 'KEY_EXPIRED' })],
] as const;

test.each(forSomebody)(
  'what is %s is never asked for by time, nor is what waits behind it in its lane',
  async (_, state, answer) => {
    const it = world();
    const outbox = started(it);
    it.script.push(() => lost, answer);
    const retry = { minDelayMs: 0, maxDelayMs: 0 };
    watched(outbox.submit(call({ key: '1 front', lane: 'cart:1', retry })));
    watched(outbox.submit(call({ key: '2 behind', lane: 'cart:1', retry })));
    await settled();
    outage(it, answer());
    await it.clock.advance(1_000);
    const sent = it.sent.length;
    await it.clock.advance(20 * HOUR);
    expect((await outbox.list()).map((one) => one.state)).toEqual([state, 'parked']);
    expect(it.sent.length).toBe(sent);
    expect(it.sent.every(({ key }) => key === '1 front')).toBe(true);
  },
);

test('a page that is shown asks nobody to sign in again for what waits behind in a lane either', async () => {
  const it = world();
  let show: () => void = () => {};
  const onWake: OpenOptions['onWake'] = (listener) => {
    show = () => listener('shown');
    return () => {};
  };
  const outbox = started(it, { onWake });
  outage(it, fails(401));
  watched(outbox.submit(call({ key: '1 front', lane: 'cart:1' })));
  watched(outbox.submit(call({ key: '2 behind', lane: 'cart:1' })));
  await it.clock.advance(1_000);
  const sent = it.sent.length;
  show();
  await it.clock.advance(1_000);
  expect(it.sent.length).toBe(sent);
});

test('a lane goes on in its order once its first is asked for', async () => {
  const it = world();
  const outbox = started(it);
  outage(it, refused);
  for (const key of ['a', 'b', 'c']) watched(outbox.submit(call({ key, lane: 'cart:1' })));
  await it.clock.advance(10 * MINUTE);
  it.script.length = 0;
  await it.clock.advance(15 * MINUTE);
  expect(it.effects).toEqual(['a', 'b', 'c']);
  expect(it.texts.size).toBe(0);
});

test('1,000 operations in an outage of six hours send a probe now and then, and all settle after it', async () => {
  const it = world();
  const outbox = started(it, { budget: new RetryBudget(it.clock, Math.random) });
  outage(it);
  const calls = Array.from({ length: 1_000 }, (_, n) =>
    outbox.submit(call({ key: `key-${n}`, retry: once })),
  );
  await Promise.all(calls.map((one) => one.catch(() => {})));
  const before = it.sent.length;
  await it.clock.advance(6 * HOUR);
  // Ten seconds apart at most closely, once the budget is used up.
  // What is left of the budget, then three in each quarter of an hour.
  expect(it.sent.length - before).toBeLessThan(200);
  it.script.length = 0;
  await it.clock.advance(20 * MINUTE);
  expect(new Set(it.told.map(({ operation }) => operation.key)).size).toBe(1_000);
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

test('without an onSettled an outcome waits for whoever asks for it, and no timer runs for it', async () => {
  const it = world();
  const outbox = started(it, { onSettled: undefined });
  it.script.push(() => lost);
  const key = await giveUp(it, outbox);
  await it.clock.advance(HOUR);
  expect(it.clock.pending).toBe(0);
  expect(await outbox.wait(key)).toBe(`done ${key}`);
});

test('case 42: time, a page that is shown and resume() together are a single flight', async () => {
  const it = world();
  let show: () => void = () => {};
  const onWake: OpenOptions['onWake'] = (listener) => {
    show = () => listener('shown');
    return () => {};
  };
  const outbox = started(it, { onWake });
  it.script.push(() => lost);
  await giveUp(it, outbox);
  let answer: () => void = () => {};
  it.script.push((_, commit) => new Promise((resolve) => (answer = () => resolve(commit()))));
  await it.clock.advance(MINUTE);
  expect(it.sent.length).toBe(1);
  const report = outbox.resume();
  show();
  await it.clock.advance(1_000);
  expect(it.sent.length).toBe(1);
  answer();
  expect(await report).toEqual({ settled: 1, pending: 0 });
  expect([it.sent.length, it.told.length]).toEqual([1, 1]);
});

test('whoever asks by hand while time does has all of its attempts, and need not wait between them', async () => {
  const it = world();
  const outbox = started(it);
  it.script.push(...Array(3).fill(() => lost));
  const key = await giveUp(it, outbox, { retry: { maxAttempts: 3, minDelayMs: 0, maxDelayMs: 0 } });
  let fail: () => void = () => {};
  it.script.push(
    () => new Promise((resolve) => (fail = () => resolve(lost))),
    () => lost,
  );
  await it.clock.advance(MINUTE);
  expect(it.sent.length).toBe(1);
  const resumed = watched(outbox.resume(key));
  await settled();
  fail();
  await it.clock.advance(10_000);
  expect(resumed.data).toBe(`done ${key}`);
  expect(it.sent.length).toBe(3);
});

test('whoever waits by key goes on waiting while asking by time is in vain, and hears the outcome', async () => {
  const it = world();
  const outbox = started(it);
  outage(it);
  const key = await giveUp(it, outbox);
  const waiting = watched(outbox.wait(key));
  await it.clock.advance(HOUR);
  expect(it.sent.length).toBeGreaterThan(3);
  expect(waiting.ended).toBe(false);
  it.script.length = 0;
  await it.clock.advance(15 * MINUTE);
  expect(waiting.data).toBe(`done ${key}`);
});

test('without a rhythm, and without a start, nothing is asked for by time', async () => {
  for (const open of [
    (it: World) => started(it, { rhythm: undefined as never }),
    (it: World) => it.open({ rhythm }),
  ]) {
    const it = world();
    const outbox = open(it);
    outage(it);
    await giveUp(it, outbox);
    await it.clock.advance(20 * HOUR);
    expect([it.sent.length, it.clock.pending]).toEqual([0, 0]);
  }
});

test('closing ends it', async () => {
  const it = world();
  const outbox = started(it);
  outage(it);
  await giveUp(it, outbox);
  expect(it.clock.pending).toBe(1);
  await outbox.close();
  expect(it.clock.pending).toBe(0);
  await it.clock.advance(HOUR);
  expect(it.sent).toEqual([]);
});

test('a sign-out stops it, and the next to sign in has it for theirs', async () => {
  const it = world();
  const outbox = started(it);
  outage(it);
  await giveUp(it, outbox);
  await outbox.signOut({ pending: 'keep' });
  expect(it.clock.pending).toBe(0);
  await it.clock.advance(HOUR);
  expect(it.sent).toEqual([]);
  it.signedIn = 'ben';
  await giveUp(it, outbox, { key: 'his' });
  it.script.length = 0;
  await it.clock.advance(HOUR);
  expect(it.effects).toEqual(['his']);
});

test("case 46: nothing of another owner's is asked for by time, and it goes on when its owner is back", async () => {
  const it = world();
  const outbox = started(it);
  it.script.push(() => lost);
  await giveUp(it, outbox);
  it.signedIn = 'ben';
  await it.clock.advance(20 * HOUR);
  expect(it.sent).toEqual([]);
  it.signedIn = 'ann';
  await it.clock.advance(MINUTE);
  expect(it.told.length).toBe(1);
});

test('an app without the procedure writes nothing about it by time', async () => {
  const it = world();
  it.script.push(() => lost);
  await giveUp(it, it.open());
  const outbox = started(it, { knows: () => false });
  await settled();
  expect(await outbox.list()).toMatchObject([{ parked: 'path-gone' }]);
  const events = it.events.length;
  await it.clock.advance(20 * HOUR);
  expect(it.events.length).toBe(events);
});

test('case 45: of several tabs only the one that leads asks by time, also for what another gave up, and its heir goes on', async () => {
  const it = world();
  const browser = new Browser(it);
  const tabs = [1, 2, 3].map(() => browser.open({ rhythm }));
  for (const { outbox } of tabs) outbox.start();
  await settled();
  outage(it);
  const [leader, other] = tabs;
  await giveUp(it, other!.outbox);
  await it.clock.advance(MINUTE);
  expect(it.sent.length).toBe(1);
  leader!.kill();
  it.script.length = 0;
  await it.clock.advance(MINUTE);
  expect([it.effects, it.told.length, browser.mostSenders]).toEqual([['spent'], 1, 1]);
});
