import { expect, test } from 'vitest';
import { Browser } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { amongProcesses } from '../testing/processes.js';
import { call, fails, lost, rejection, textStorage, watched, world } from '../testing/world.js';

const lane = 'cart:1';
const failure = () => fails(409, { settlement: 'settled' });

test('case 58: operations of one lane run in the order of their calls, one after the other; others do not wait', async () => {
  const it = world();
  const outbox = it.open();
  it.script.push(() => lost);
  const keys = ['a', 'b', 'c'];
  const seen = keys.map((key) => watched(outbox.submit(call({ key, lane }))));
  const other = watched(outbox.submit(call({ key: 'other', lane: 'cart:2' })));
  await settled();
  expect(it.sent.map(({ key }) => key)).toEqual(['a', 'other']);
  expect(other.data).toBe('done other');
  await it.clock.advance(60_000);
  expect(seen.map(({ data }) => data)).toEqual(keys.map((key) => `done ${key}`));
  expect(it.effects).toEqual(['other', 'a', 'b', 'c']);
});

test('case 58: the order holds over a reload, and over tabs', async () => {
  const it = world();
  const browser = new Browser(it);
  const tabs = [browser.open(), browser.open()];
  it.script.push(...Array(3).fill(() => lost));
  const [first, second] = tabs.map(({ outbox }, n) =>
    watched(outbox.submit(call({ key: `tab-${n}`, lane }))),
  );
  await settled();
  expect(it.sent.map(({ key }) => key)).toEqual(['tab-0']);
  for (const tab of tabs) tab.kill();
  const reloaded = it.open();
  const third = watched(reloaded.submit(call({ key: 'third', lane })));
  await it.clock.advance(60_000);
  expect([first?.ended, second?.ended, third.data]).toEqual([false, false, 'done third']);
  expect(it.effects).toEqual(['tab-0', 'tab-1', 'third']);
});

test('case 58: a failure halts what is behind it: told so, kept, nothing sent, not even by resume()', async () => {
  const it = world();
  const outbox = it.open();
  it.script.push(failure);
  const [a, b, c] = ['a', 'b', 'c'].map((key) => watched(outbox.submit(call({ key, lane }))));
  await it.clock.advance(1_000);
  expect(a?.error).toMatchObject({ name: 'TRPCClientError' });
  for (const halted of [b, c])
    expect(halted?.error).toMatchObject({ name: 'OperationParkedError', reason: 'lane-halted' });
  const reloaded = it.open();
  expect(await reloaded.resume()).toEqual({ settled: 0, pending: 2 });
  expect((await reloaded.list()).map(({ key, parked }) => [key, parked])).toEqual([
    ['b', 'lane-halted'],
    ['c', 'lane-halted'],
  ]);
  expect(it.sent.map(({ key }) => key)).toEqual(['a']);
});

test('case 58: resuming one that was halted goes on with the whole lane in its order; dismissing drops one', async () => {
  const it = world();
  const outbox = it.open();
  it.script.push(failure);
  for (const key of ['a', 'b', 'c', 'd']) watched(outbox.submit(call({ key, lane })));
  await it.clock.advance(1_000);
  await outbox.dismiss('b');
  const seen = watched(outbox.resume('d'));
  await it.clock.advance(1_000);
  expect(seen.data).toBe('done d');
  expect(it.effects).toEqual(['c', 'd']);
});

test('case 58: a call into a halted lane is halted too, and one into a lane whose failure is over is not', async () => {
  const it = world();
  const outbox = it.open();
  it.script.push(failure, failure);
  watched(outbox.submit(call({ key: 'a', lane })));
  watched(outbox.submit(call({ key: 'b', lane })));
  await it.clock.advance(1_000);
  await expect(outbox.submit(call({ key: 'c', lane }))).rejects.toMatchObject({ reason: 'lane-halted' });
  await expect(outbox.submit(call({ key: 'x', lane: 'cart:2' }))).rejects.toMatchObject({
    name: 'TRPCClientError',
  });
  expect(await outbox.submit(call({ key: 'y', lane: 'cart:2' }))).toBe('done y');
});

test('case 58: what says so goes on after a failure', async () => {
  const it = world();
  const outbox = it.open();
  it.script.push(failure);
  watched(outbox.submit(call({ key: 'a', lane, onFailure: 'continue' })));
  expect(await outbox.submit(call({ key: 'b', lane }))).toBe('done b');
});

test('case 58: behind one without an outcome nothing is sent; it goes on by itself once that has succeeded', async () => {
  const it = world();
  const outbox = it.open();
  it.script.push(() => fails(401));
  const first = watched(outbox.submit(call({ key: 'a', lane })));
  const second = watched(outbox.submit(call({ key: 'b', lane })));
  await settled();
  expect(first.error).toMatchObject({ reason: 'unauthorized' });
  expect(second.error).toMatchObject({ name: 'OperationParkedError', reason: 'lane-waiting' });
  expect(await outbox.resume('a')).toBe('done a');
  await settled();
  expect(it.effects).toEqual(['a', 'b']);
  expect(it.told.map(({ operation }) => operation.key)).toEqual(['b']);
});

test('case 58: a crash between a failure and its hand-over lets nothing slip through', async () => {
  const it = world();
  const dying = it.open({ onSettled: () => new Promise(() => {}) });
  it.script.push(
    () => lost,
    () => lost,
  );
  for (const key of ['a', 'b'])
    watched(dying.submit(call({ key, lane, waitMs: 0, retry: { maxAttempts: 1 } })));
  await it.clock.advance(1_000);
  it.script.length = 0;
  it.script.push(failure);
  void dying.resume();
  await it.clock.advance(5_000);
  expect(JSON.parse(it.texts.get('["ann","a"]')!).state).toBe('settled');
  const next = it.open();
  await next.resume();
  await it.clock.advance(5_000);
  expect(it.told.map(({ operation }) => operation.key)).toEqual(['a']);
  expect(await next.list()).toMatchObject([{ key: 'b', parked: 'lane-halted', attempts: 0 }]);
});

test('case 58: what another process halted is not sent by the one that waited for the failure to be over', async () => {
  const it = world();
  const [one, other] = [0, 1].map(() => it.open({ coordination: amongProcesses(it) }));
  let fail = () => {};
  it.script.push(
    () =>
      new Promise((resolve) => {
        fail = () => resolve(failure());
      }),
  );
  const failed = watched(one!.submit(call({ key: 'a', lane })));
  await it.clock.advance(1_000);
  const behind = watched(other!.submit(call({ key: 'b', lane })));
  await it.clock.advance(1_000);
  expect((await other!.list()).map(({ key }) => key)).toEqual(['a', 'b']);
  fail();
  await it.clock.advance(20_000);
  expect(failed.error).toMatchObject({ name: 'TRPCClientError' });
  expect(behind.error).toMatchObject({ name: 'OperationParkedError', reason: 'lane-halted' });
  expect(it.sent.map(({ key }) => key)).toEqual(['a']);
  expect((await one!.list()).map(({ key, parked }) => [key, parked])).toEqual([['b', 'lane-halted']]);
  const resumed = watched(other!.resume('b'));
  await it.clock.advance(20_000);
  expect(resumed.data).toBe('done b');
  await Promise.all([one!.close(), other!.close()]);
});

test('a crowd of lanes deadlocks nobody', async () => {
  const it = world();
  const outbox = it.open();
  it.script.push(...Array(40).fill(() => lost));
  for (let n = 0; n < 40; n += 1)
    watched(outbox.submit(call({ key: `k${n}`, lane: `lane ${n % 8}`, retry: { maxAttempts: 1 } })));
  await it.clock.advance(10_000);
  it.script.length = 0;
  const next = it.open();
  const report = watched(next.resume());
  await it.clock.advance(200_000);
  expect(report.data).toEqual({ settled: 40, pending: 0 });
  for (let n = 0; n < 8; n += 1)
    expect(it.effects.filter((key) => Number(key.slice(1)) % 8 === n)).toEqual(
      [0, 1, 2, 3, 4].map((row) => `k${row * 8 + n}`),
    );
});

test('case 58: an expired operation halts its lane; dismissing it sends nothing of what was behind it', async () => {
  const it = world();
  const outbox = it.open();
  it.script.push(() => lost);
  watched(outbox.submit(call({ key: 'a', lane, retentionMs: 5_000, retry: { maxAttempts: 1 } })));
  const b = watched(outbox.submit(call({ key: 'b', lane })));
  await it.clock.advance(10_000);
  expect(await rejection(outbox.resume('a'))).toMatchObject({ name: 'OperationExpiredError' });
  await outbox.dismiss('a');
  await it.clock.advance(1_000);
  expect(it.sent.map(({ key }) => key)).toEqual(['a']);
  expect(b.error).toMatchObject({ name: 'OperationParkedError' });
  expect(await outbox.list()).toMatchObject([{ key: 'b', parked: 'lane-halted' }]);
});

test('case 58: a call that storage refuses takes those with it that were made behind it in its lane', async () => {
  const it = world();
  let refusals = 1;
  const storage = textStorage(it.texts, {
    async set(id, text) {
      await settled();
      if (refusals-- > 0) throw new Error('it is full');
      it.texts.set(id, text);
    },
  });
  const outbox = it.open({ storage });
  const [a, b, c] = ['a', 'b', 'c'].map((key) => watched(outbox.submit(call({ key, lane }))));
  const other = watched(outbox.submit(call({ key: 'other', lane: 'cart:2' })));
  for (let turn = 0; turn < 5; turn += 1) await settled();
  expect(a?.error).toMatchObject({ name: 'NotSentError', reason: 'storage' });
  for (const behind of [b, c]) expect(behind?.error).toMatchObject({ name: 'NotSentError', reason: 'lane' });
  expect(other.data).toBe('done other');
  expect(await outbox.submit(call({ key: 'd', lane }))).toBe('done d');
  expect(it.sent.map(({ key }) => key).sort()).toEqual(['d', 'other']);
});

test('case 58: a caller who leaves while the lane behind its failure is parked was not told: onSettled hears', async () => {
  const it = world();
  let grant: () => void = () => {};
  const free = { lost: false, release() {} };
  const coordination = {
    carries: true,
    hold: (name: string) =>
      name.startsWith('lane') && it.sent.length > 0
        ? new Promise<typeof free>((resolve) => (grant = () => resolve(free)))
        : Promise.resolve(free),
    tell() {},
    hear: () => () => {},
  };
  const outbox = it.open({ coordination });
  const leaving = new AbortController();
  it.script.push(failure);
  const a = watched(outbox.submit(call({ key: 'a', lane, signal: leaving.signal })));
  await settled();
  leaving.abort();
  await settled();
  expect(a.error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'aborted' });
  grant();
  await settled();
  expect(it.told.map(({ operation }) => operation.key)).toEqual(['a']);
});

test('case 58: nothing is sent past a record of its lane that cannot be read, until somebody discards that', async () => {
  const it = world();
  const first = it.open();
  it.script.push(() => lost);
  watched(first.submit(call({ key: 'a', lane, retry: { maxAttempts: 1 } })));
  await settled();
  const [[id, text]] = [...it.texts] as [[string, string]];
  it.texts.set(id, text.replace('"version":1', '"version":2'));
  const outbox = it.open();
  const behind = await rejection(outbox.submit(call({ key: 'b', lane })));
  expect(behind).toMatchObject({ name: 'OperationParkedError', reason: 'lane-waiting' });
  expect(await outbox.submit(call({ key: 'c', lane: 'cart:2' }))).toBe('done c');
  await outbox.discard(id);
  expect(await outbox.resume('b')).toBe('done b');
});

test('case 58: a call made in the same tick as one that fails before it has entered is halted with the rest', async () => {
  const it = world();
  const texts = textStorage(it.texts);
  let isSlow = false;
  const entries = async () => {
    if (isSlow) await new Promise<void>((resolve) => it.clock.after(100, resolve));
    return texts.entries();
  };
  const outbox = it.open({ storage: { ...texts, entries } });
  it.script.push(() => {
    isSlow = true;
    return failure();
  });
  const [a, b] = ['a', 'b'].map((key) => watched(outbox.submit(call({ key, lane }))));
  isSlow = false;
  await settled();
  expect(a?.ended).toBe(true);
  const c = watched(outbox.submit(call({ key: 'c', lane })));
  await it.clock.advance(1_000);
  expect(b?.error).toMatchObject({ name: 'OperationParkedError', reason: 'lane-halted' });
  expect(it.sent.map(({ key }) => key)).not.toContain('b');
  expect(c.ended).toBe(true);
  const d = watched(outbox.resume('b'));
  await it.clock.advance(1_000);
  expect(d.data).toBe('done b');
});

test('case 58: a call that is refused before it is an operation takes those with it that were made behind it', async () => {
  const it = world();
  let isBroken = true;
  const texts = textStorage(it.texts);
  const entries = async () => {
    if (!isBroken) return texts.entries();
    isBroken = false;
    throw new Error('it could not be read this once');
  };
  const outbox = it.open({ storage: { ...texts, entries } });
  const [a, b] = ['a', 'b'].map((key) => watched(outbox.submit(call({ key, lane }))));
  await settled();
  expect(a?.error).toMatchObject({ name: 'NotSentError', reason: 'storage' });
  expect(b?.error).toMatchObject({ name: 'NotSentError', reason: 'lane' });
  expect(await outbox.submit(call({ key: 'c', lane }))).toBe('done c');
  it.script.push(() => lost);
  const pending = watched(outbox.submit(call({ key: 'd', intent: 'i', retry: { maxAttempts: 1 } })));
  await settled();
  const conflict = watched(outbox.submit(call({ key: 'e', lane, intent: 'i', body: null })));
  const behind = watched(outbox.submit(call({ key: 'f', lane })));
  await settled();
  expect([pending.ended, conflict.error]).toMatchObject([true, { name: 'IntentConflictError' }]);
  expect(behind.error).toMatchObject({ name: 'NotSentError', reason: 'lane' });
  expect(it.effects).toEqual(['c']);
});

test('case 58: a call that takes the place of its declined predecessor, of which nobody was told, is sent', async () => {
  const it = world();
  const first = it.open({ onSettled: () => Promise.reject(new Error('not now')), settledFirst: true });
  it.script.push(() => fails(403));
  const again = { intent: 'i', lane, body: null };
  watched(first.submit(call(again)));
  await it.clock.advance(1_000);
  await first.close();
  const outbox = it.open({ onSettled: undefined });
  expect(await outbox.list()).toMatchObject([{ state: 'settled' }]);
  expect(await outbox.submit(call(again))).toMatch(/^done/);
});
