import { expect, test } from 'vitest';
import { Browser } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { giveUp, HOUR, IDLE_TIMERS, MINUTE, outage, rhythm, started } from '../testing/giving-up.js';
import { amongProcesses } from '../testing/processes.js';
import { fails, lost, type OpenOptions, watched, world } from '../testing/world.js';

test('without an onSettled an outcome waits for whoever asks for it, and no timer runs for it', async () => {
  const it = world();
  const outbox = started(it, { onSettled: undefined });
  it.script.push(() => lost);
  const key = await giveUp(it, outbox);
  await it.clock.advance(HOUR);
  expect(it.clock.pending).toBe(IDLE_TIMERS);
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

test('whoever waits by key is told what only somebody can change', async () => {
  const it = world();
  const outbox = started(it);
  it.script.push(
    () => lost,
    () => fails(403),
  );
  const key = await giveUp(it, outbox);
  const waiting = watched(outbox.wait(key));
  await it.clock.advance(MINUTE);
  expect(waiting.error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'declined' });
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

test('a tab that slept and leads no more asks for nothing by time', async () => {
  const it = world();
  const browser = new Browser(it);
  const [sleeper, heir] = [1, 2].map(() => browser.open({ rhythm }));
  for (const tab of [sleeper, heir]) tab!.outbox.start();
  await settled();
  outage(it);
  await giveUp(it, sleeper!.outbox);
  sleeper!.freeze();
  await settled();
  sleeper!.wake();
  await it.clock.advance(2 * HOUR);
  expect(it.sent.length).toBeGreaterThan(5);
  expect(it.sent.length).toBeLessThanOrEqual(14);
});

test('of several processes only the one that leads asks by time, also for what another gave up, and its heir goes on', async () => {
  const it = world();
  const [leader, other] = [1, 2].map(() => started(it, { coordination: amongProcesses(it) }));
  await it.clock.advance(1_000);
  outage(it);
  await giveUp(it, other!);
  await it.clock.advance(MINUTE);
  expect(it.sent.length).toBe(1);
  await leader!.close();
  it.script.length = 0;
  await it.clock.advance(15 * MINUTE);
  expect([it.effects, it.told.length]).toEqual([['spent'], 1]);
  await other!.close();
});

test('one that slept past its lease, and is alone, leads again and goes on asking by time', async () => {
  const it = world();
  let isLost = false;
  const coordination = {
    carries: true,
    hold: async (name: string) => ({
      get lost() {
        return isLost && name.startsWith('lead');
      },
      release() {},
    }),
    tell() {},
    hear: () => () => {},
  };
  const outbox = started(it, { coordination });
  await settled();
  outage(it);
  await giveUp(it, outbox);
  isLost = true;
  await it.clock.advance(MINUTE);
  isLost = false;
  it.script.length = 0;
  await it.clock.advance(HOUR);
  expect([it.effects, it.told.length]).toEqual([['spent'], 1]);
  await outbox.close();
});
