import { expect, test } from 'vitest';
import { Browser } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { amongProcesses } from '../testing/processes.js';
import { call, lost, refused, rejection, textStorage, type World, watched, world } from '../testing/world.js';

const HOUR = 3_600_000;
const RETENTION_MS = 24 * HOUR;
const hangs = () => new Promise<never>(() => {});
const facts = { key: 'k', retentionMs: RETENTION_MS };

/** What is found `ms` after everybody who had the storage was killed. */
async function killed(it: World, ms: number): Promise<World> {
  const next = world();
  for (const [id, text] of it.texts) if (id.startsWith('[')) next.texts.set(id, text);
  await next.clock.advance(it.clock.now() - next.clock.now() + ms);
  return next;
}

test.each([
  ['given up on', { maxAttempts: 2 }],
  ['killed between two attempts', { maxAttempts: 8, minDelayMs: 10_000, maxDelayMs: 10_000 }],
])('what never left the device is new to the server, however old its record is: %s', async (_, retry) => {
  const it = world();
  it.script.push(
    () => refused,
    () => refused,
  );
  watched(it.open().submit(call({ ...facts, retry })));
  await it.clock.advance(6_000);
  const later = await killed(it, RETENTION_MS);
  const outbox = later.open();
  expect(await outbox.list()).toMatchObject([{ key: 'k', mayHaveRun: false }]);
  expect(await outbox.resume('k')).toBe('done k');
  expect(later.sent.map(({ ageMs }) => ageMs)).toEqual([0]);
});

test('one that was refused before it left, and killed while it was sent once more, may have run: its age counts from there', async () => {
  const it = world();
  it.script.push(() => refused, hangs);
  const outbox = it.open();
  watched(outbox.submit(call({ ...facts, retry: { maxAttempts: 1 } })));
  await it.clock.advance(23 * HOUR);
  watched(outbox.resume('k'));
  await settled();
  const soon = await killed(it, 2 * HOUR);
  expect(await soon.open().list()).toMatchObject([{ mayHaveRun: true }]);
  expect(await soon.open().resume('k')).toBe('done k');
  expect(soon.sent.map(({ ageMs }) => ageMs)).toEqual([2 * HOUR]);
  const late = await killed(it, RETENTION_MS);
  expect(await rejection(late.open().resume('k'))).toMatchObject({ name: 'OperationExpiredError' });
  expect(late.sent).toEqual([]);
});

test('so it may where the next attempt followed by itself, and where another tab or process made it', async () => {
  for (const by of ['itself', 'another tab', 'another process'] as const) {
    const it = world();
    const browser = new Browser(it);
    const open = () =>
      by === 'another process' ? it.open({ coordination: amongProcesses(it) }) : browser.open().outbox;
    it.script.push(() => refused, hangs);
    const first = open();
    watched(first.submit(call({ ...facts, retry: { maxAttempts: by === 'itself' ? 2 : 1 } })));
    await it.clock.advance(5_000);
    if (by !== 'itself') watched(open().resume('k'));
    await it.clock.advance(5_000);
    expect(it.sent).toHaveLength(2);
    const next = await killed(it, 0);
    expect(await next.open().list()).toMatchObject([{ mayHaveRun: true }]);
  }
});

test('an operation that never left is not sent while storage cannot be told that it may have', async () => {
  const it = world();
  let isFull = false;
  const set = async (id: string, text: string) => {
    if (isFull) throw new Error('the disk is full');
    it.texts.set(id, text);
  };
  const outbox = it.open({ storage: textStorage(it.texts, { set }) });
  it.script.push(() => refused);
  watched(outbox.submit(call({ ...facts, retry: { maxAttempts: 1 } })));
  await settled();
  isFull = true;
  const error = await rejection(outbox.resume('k'));
  expect(error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'interrupted', mayHaveRun: false });
  expect(it.sent).toHaveLength(1);
  isFull = false;
  expect(await outbox.resume('k')).toBe('done k');
});

test('nothing more is written for an attempt whose record says already that it may have left', async () => {
  const it = world();
  const written: string[] = [];
  const set = async (id: string, text: string) => {
    written.push(JSON.parse(text).state);
    it.texts.set(id, text);
  };
  it.script.push(
    () => lost,
    () => refused,
    () => lost,
  );
  watched(it.open({ storage: textStorage(it.texts, { set }) }).submit(call(facts)));
  await it.clock.advance(60_000);
  expect(written).toEqual(['persisted', 'waiting', 'waiting', 'waiting', 'settled']);
});
