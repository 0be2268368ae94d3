import { expect, test } from 'vitest';
import { Browser } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { call, fails, lost, watched, world } from '../testing/world.js';
import type { Wake } from './waking/page-events.js';

const intent = 'checkout:1';

test('case 45: an intent called in three tabs at once is one operation, sent by one of them, and all get its outcome', async () => {
  const it = world();
  const browser = new Browser(it);
  const seen = [1, 2, 3].map(() => watched(browser.open().outbox.submit(call({ intent }))));
  await it.clock.advance(10_000);
  const [key] = it.effects;
  expect(seen.map(({ data }) => data)).toEqual(Array(3).fill(`done ${key}`));
  expect(it.sent.length).toBe(1);
  expect(it.texts.size).toBe(0);
});

test('case 48: the same intent with another input in a second tab is a conflict', async () => {
  const it = world();
  const browser = new Browser(it);
  it.script.push(() => lost);
  const first = watched(browser.open().outbox.submit(call({ intent })));
  const second = browser.open().outbox.submit(call({ intent, body: '{"sku":"milk"}' }));
  await expect(second).rejects.toMatchObject({ name: 'IntentConflictError' });
  await it.clock.advance(10_000);
  expect(first.data).toContain('done');
});

test('a tab that waits by key hears of the outcome that another one found', async () => {
  const it = world();
  const browser = new Browser(it);
  it.script.push(() => lost);
  const one = browser.open();
  const other = browser.open();
  const first = watched(one.outbox.submit(call({ key: 'mine' })));
  await settled();
  await other.outbox.list();
  const second = watched(other.outbox.wait('mine'));
  await it.clock.advance(10_000);
  expect([first.data, second.data]).toEqual(['done mine', 'done mine']);
});

test('case 45: the tab that leads goes on with what a killed tab left, whether it was sending or waiting', async () => {
  for (const when of ['sending', 'waiting']) {
    const it = world();
    const browser = new Browser(it);
    const leader = browser.open();
    leader.outbox.start();
    const other = browser.open();
    other.outbox.start();
    await settled();
    it.script.push((_, commit) => {
      if (when === 'waiting') return lost;
      commit();
      return new Promise(() => {});
    });
    watched(other.outbox.submit(call({ intent })));
    await settled();
    expect(it.sent.length).toBe(1);
    other.kill();
    await it.clock.advance(20_000);
    expect(it.told.length, when).toBe(1);
    expect(new Set(it.sent.map(({ key }) => key)).size).toBe(1);
    expect([it.texts.size, browser.mostSenders]).toEqual([0, 1]);
  }
});

test('case 45: when the leader is closed, the next tab leads and resumes what it left', async () => {
  const it = world();
  const browser = new Browser(it);
  const leader = browser.open();
  leader.outbox.start();
  const next = browser.open();
  next.outbox.start();
  it.script.push(() => new Promise(() => {}));
  watched(leader.outbox.submit(call()));
  await settled();
  leader.kill();
  await it.clock.advance(1_000);
  expect([it.told.length, it.texts.size]).toEqual([1, 0]);
});

test('case 45: a tab that sleeps in mid-flight strands nothing, and sends nothing when it wakes', async () => {
  const it = world();
  const browser = new Browser(it);
  const sleeper = browser.open();
  it.script.push(() => lost);
  const slept = watched(sleeper.outbox.submit(call({ intent })));
  await settled();
  sleeper.freeze();
  const awake = browser.open();
  const seen = watched(awake.outbox.submit(call({ intent })));
  await it.clock.advance(60_000);
  expect(seen.data).toContain('done');
  const { length } = it.sent;
  sleeper.wake();
  await it.clock.advance(60_000);
  expect(slept.data).toBe(seen.data);
  expect(it.sent.length).toBe(length);
  expect(it.texts.size).toBe(0);
});

test('two tabs at one operation keep one pace: the second does not double the attempts', async () => {
  const it = world();
  const browser = new Browser(it);
  it.script.push(...Array(8).fill(() => fails(500)));
  const retry = { minDelayMs: 4_000, maxDelayMs: 4_000, maxAttempts: 4 };
  const seen = [1, 2, 3].map(() => watched(browser.open().outbox.submit(call({ intent, retry }))));
  await it.clock.advance(8_000);
  expect(it.sent.length).toBe(3);
  await it.clock.advance(600_000);
  expect(seen.every(({ ended }) => ended)).toBe(true);
});

test('what one tab does is seen in the others: the list, and every change of it', async () => {
  const it = world();
  const browser = new Browser(it);
  const other = browser.open();
  const heard: string[] = [];
  other.outbox.subscribe(({ type }) => heard.push(type));
  it.script.push(() => lost);
  const seen = watched(browser.open().outbox.submit(call()));
  await settled();
  expect(other.outbox.snapshot().map(({ state }) => state)).toEqual(['waiting']);
  await it.clock.advance(10_000);
  expect(seen.data).toContain('done');
  expect(other.outbox.snapshot()).toEqual([]);
  expect(heard).toEqual(['persisted', 'sending', 'waiting', 'sending', 'settled', 'delivered']);
});

test('an operation purged in one tab is not brought back by the attempt of another', async () => {
  const it = world();
  const browser = new Browser(it);
  const one = browser.open();
  let answer: () => void = () => {};
  it.script.push((_, commit) => new Promise((resolve) => (answer = () => resolve(commit()))));
  const seen = watched(one.outbox.submit(call()));
  await settled();
  const report = await browser.open().outbox.signOut({ pending: 'purge' });
  expect(report).toMatchObject({ owner: 'ann', unknown: 1, unsent: 0, undelivered: 0 });
  answer();
  await it.clock.advance(10_000);
  expect(seen.data).toContain('done');
  expect([it.texts.size, it.sent.length]).toEqual([0, 1]);
});

test('an operation purged in another tab while it was being sent is not stored or sent again, whatever comes back', async () => {
  for (const answer of [lost, fails(401), fails(503)]) {
    const it = world();
    const browser = new Browser(it);
    let arrive: () => void = () => {};
    it.script.push(() => new Promise((resolve) => (arrive = () => resolve(answer))));
    const one = browser.open({ refresh: async () => true });
    watched(one.outbox.submit(call()));
    await settled();
    await browser.open().outbox.signOut({ pending: 'purge' });
    arrive();
    await it.clock.advance(60_000);
    expect([it.texts.size, it.sent.length]).toEqual([0, 1]);
    expect(one.outbox.snapshot()).toEqual([]);
  }
});

test('a tab that lost its hold between deciding to send and sending does not send', async () => {
  const it = world();
  const browser = new Browser(it);
  let go: () => void = () => {};
  const gate = new Promise<void>((resolve) => (go = resolve));
  const sleeper = browser.open({ network: (_, send) => gate.then(send) });
  const slept = watched(sleeper.outbox.submit(call({ intent })));
  await settled();
  sleeper.freeze();
  const awake = await browser.open().outbox.submit(call({ intent }));
  sleeper.wake();
  go();
  await it.clock.advance(10_000);
  expect(it.sent.length).toBe(1);
  expect(slept.data).toBe(awake);
});

test('case 57: what is due runs when the page is shown, though its timer sleeps', async () => {
  const it = world();
  let wake: (why: Wake) => void = () => {};
  const outbox = it.open({
    onWake: (listener) => {
      wake = listener;
      return () => {};
    },
  });
  it.script.push(() => lost);
  const seen = watched(outbox.submit(call()));
  await settled();
  // Time passes, and no timer fires.
  const { now } = it.clock;
  it.clock.now = () => now.call(it.clock) + 5_000;
  wake('shown');
  await settled();
  expect(seen.data).toContain('done');
});

test('a page that is shown, or online again, resumes what was given up; not what only a person can change', async () => {
  for (const why of ['shown', 'online'] as const) {
    const it = world();
    let wake: (why: Wake) => void = () => {};
    const outbox = it.open({
      onWake: (listener) => {
        wake = listener;
        return () => {};
      },
    });
    outbox.start();
    it.script.push(
      () => lost,
      () => fails(401),
    );
    watched(outbox.submit(call({ key: 'given up', retry: { maxAttempts: 1 } })));
    await settled();
    watched(outbox.submit(call({ key: 'signed out' })));
    await settled();
    wake(why);
    await it.clock.advance(5_000);
    expect(it.told.map(({ operation }) => operation.key)).toEqual(['given up']);
    expect(await outbox.list()).toMatchObject([{ key: 'signed out', parked: 'unauthorized' }]);
  }
});

test("one intent is one operation by a coarse clock too: what ended in the millisecond of a call, after it, is that call's", async () => {
  const it = world();
  const browser = new Browser(it);
  const [one, other] = [browser.open(), browser.open()];
  await other!.outbox.list();
  let answer = () => {};
  it.script.push((_, commit) => new Promise((resolve) => (answer = () => resolve(commit()))));
  const first = watched(one!.outbox.submit(call({ intent: 'checkout' })));
  await settled();
  const second = watched(other!.outbox.submit(call({ intent: 'checkout' })));
  other!.freeze();
  answer();
  await settled();
  expect(first.ended).toBe(true);
  other!.wake();
  await settled();
  expect(second.data).toBe(first.data);
  expect(it.effects.length).toBe(1);
  // Made after the first one was told, it is a new operation, in that same millisecond.
  expect(await one!.outbox.submit(call({ intent: 'checkout' }))).not.toBe(first.data);
});
