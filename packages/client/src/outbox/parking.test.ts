import { expect, test } from 'vitest';
import { settled } from '../testing/fake-clock.js';
import { call, fails, lost, refused, rejection, watched, world } from '../testing/world.js';

const DAY = 86_400_000;

test('case 47: a 401 parks the operation; signing in and resuming sends the same key', async () => {
  const { open, script, sent, effects } = world();
  script.push(() => fails(401));
  const outbox = open();
  const error = await rejection(outbox.submit(call()));
  expect(error).toMatchObject({ name: 'OperationParkedError', reason: 'unauthorized', key: sent[0]!.key });
  expect(error.cause).toMatchObject({ data: { httpStatus: 401 } });
  expect(await outbox.list()).toMatchObject([{ state: 'parked', parked: 'unauthorized', attempts: 1 }]);
  expect(await outbox.resume()).toEqual({ settled: 1, pending: 0 });
  expect(sent[1]!.key).toBe(sent[0]!.key);
  expect(effects).toEqual([sent[0]!.key]);
});

test('case 47: one refresh, then the same key at once, without spending an attempt', async () => {
  const { open, script, sent } = world();
  script.push(() => fails(401, { refusal: 'SCOPE_MISSING' }));
  let refreshes = 0;
  const refresh = async () => {
    refreshes += 1;
    return true;
  };
  const outcome = await open({ refresh }).submit(call({ retry: { maxAttempts: 1 } }));
  expect(outcome).toBe(`done ${sent[0]!.key}`);
  expect(sent.map(({ key }) => key)).toEqual([sent[0]!.key, sent[0]!.key]);
  expect(refreshes).toBe(1);
});

test('case 47: still 401 after the refresh parks, and does not loop', async () => {
  const { open, script, sent } = world();
  script.push(
    () => fails(401),
    () => fails(401),
    () => fails(401),
  );
  let refreshes = 0;
  const refresh = async () => {
    refreshes += 1;
    return true;
  };
  await expect(open({ refresh }).submit(call())).rejects.toMatchObject({ reason: 'unauthorized' });
  expect([sent.length, refreshes]).toEqual([2, 1]);
});

test('a 401 before anything else leaves no doubt, so a "no" after signing in is the outcome', async () => {
  const { open, script } = world();
  script.push(
    () => fails(401),
    () => fails(403),
  );
  const outbox = open();
  const { key } = await rejection(outbox.submit(call()));
  await expect(outbox.resume(key)).rejects.toMatchObject({
    name: 'TRPCClientError',
    data: { httpStatus: 403 },
  });
});

test('an indeterminate operation is parked, and goes on after it was reconciled', async () => {
  const { open, script } = world();
  script.push(() => fails(409, { refusal: 'INDETERMINATE' }));
  const outbox = open();
  await expect(outbox.submit(call())).rejects.toMatchObject({
    name: 'OperationParkedError',
    reason: 'indeterminate',
  });
  expect(await outbox.resume()).toEqual({ settled: 1, pending: 0 });
});

test("case 46: another owner's operations are neither sent nor listed; their owner's return resumes them", async () => {
  const it = world();
  it.script.push(() => lost);
  const outbox = it.open();
  const anns = watched(outbox.submit(call({ retry: { maxAttempts: 1 } })));
  await settled();
  expect(anns.error).toMatchObject({ name: 'OutcomeUnknownError' });
  it.signedIn = 'ben';
  for (const one of [outbox, it.open()]) {
    expect(await one.list()).toEqual([]);
    expect(one.snapshot()).toEqual([]);
    expect(await one.resume()).toEqual({ settled: 0, pending: 0 });
    await expect(one.wait('key-of-ann')).rejects.toThrow('no operation');
  }
  it.signedIn = null;
  expect(await outbox.list()).toEqual([]);
  expect(it.sent.length).toBe(1);
  it.signedIn = 'ann';
  expect(await it.open().resume()).toEqual({ settled: 1, pending: 0 });
  expect(it.sent.length).toBe(2);
});

test('case 46: an owner who leaves during a backoff takes the operation along; nothing more is sent', async () => {
  const it = world();
  it.script.push(() => lost);
  const outbox = it.open();
  const seen = watched(outbox.submit(call()));
  await settled();
  it.signedIn = 'ben';
  await it.clock.advance(60_000);
  expect(seen.error).toMatchObject({ name: 'OperationParkedError', reason: 'owner-changed' });
  expect(it.sent.length).toBe(1);
  it.signedIn = 'ann';
  expect(await outbox.list()).toMatchObject([{ state: 'parked', parked: 'owner-changed', attempts: 1 }]);
  expect(await outbox.resume()).toEqual({ settled: 1, pending: 0 });
});

test('operations of nobody belong to nobody, and not to whoever signs in next', async () => {
  const it = world();
  it.signedIn = null;
  it.script.push(() => lost);
  const outbox = it.open();
  watched(outbox.submit(call({ retry: { maxAttempts: 1 } })));
  await settled();
  it.signedIn = 'ann';
  expect(await outbox.resume()).toEqual({ settled: 0, pending: 0 });
  it.signedIn = null;
  expect(await outbox.resume()).toEqual({ settled: 1, pending: 0 });
});

test("news of one owner's operations reach no listener while another is signed in", async () => {
  const it = world();
  const outbox = it.open();
  it.script.push(() => lost);
  watched(outbox.submit(call()));
  await settled();
  const before = it.events.length;
  it.signedIn = 'ben';
  await it.clock.advance(60_000);
  expect(it.events.length).toBe(before);
});

test('case 50: past its retention an operation is expired and shown, and not sent', async () => {
  const { open, script, clock, sent } = world();
  script.push(() => lost);
  const seen = watched(open().submit(call({ intent: 'checkout:1', retry: { maxAttempts: 1 } })));
  await settled();
  const { key, resume } = seen.error as { key: string; resume(): Promise<unknown> };
  await clock.advance(DAY);
  const outbox = open();
  expect(await outbox.resume()).toEqual({ settled: 0, pending: 1 });
  expect(await outbox.list()).toMatchObject([{ key, state: 'expired' }]);
  const expired = { name: 'OperationExpiredError', key, firstSentAt: clock.now() - DAY };
  await expect(outbox.wait(key)).rejects.toMatchObject(expired);
  await expect(outbox.resume(key)).rejects.toMatchObject(expired);
  await expect(resume()).rejects.toMatchObject(expired);
  await expect(outbox.submit(call({ intent: 'checkout:1' }))).rejects.toMatchObject(expired);
  expect(sent.length).toBe(1);
});

test('case 50: what the server calls expired is expired, and only dismissing it frees its intent', async () => {
  const { open, script, texts, sent } = world();
  script.push(() => fails(412, { refusal: 'KEY_EXPIRED' }));
  const outbox = open();
  const { key } = await rejection(outbox.submit(call({ intent: 'checkout:1' })));
  expect(await outbox.list()).toMatchObject([{ key, state: 'expired' }]);
  expect(await outbox.resume()).toEqual({ settled: 0, pending: 1 });
  expect(sent.length).toBe(1);
  await outbox.dismiss(key);
  expect([(await outbox.list()).length, texts.size]).toEqual([0, 0]);
  expect(await outbox.submit(call({ intent: 'checkout:1' }))).not.toContain(key);
});

test('case 51: an operation of an older app is sent with its original bytes, and parked when its path is gone', async () => {
  const { open, script, sent } = world();
  script.push(() => lost);
  const body = '{"sku":"tea","colour":"a field of the old form"}';
  watched(open().submit(call({ body, retry: { maxAttempts: 1 } })));
  await settled();
  const without = open({ knows: (path) => path !== 'orders.place' });
  expect(await without.resume()).toEqual({ settled: 0, pending: 1 });
  expect(await without.list()).toMatchObject([{ state: 'parked', parked: 'path-gone', body }]);
  expect(sent.length).toBe(1);
  expect(await open().resume()).toEqual({ settled: 1, pending: 0 });
  expect(sent[1]!.body).toBe(body);
});

test('a pending operation cannot be dismissed, a parked one can', async () => {
  const { open, script, clock } = world();
  script.push(
    () => lost,
    () => fails(401),
  );
  const outbox = open();
  const seen = watched(outbox.submit(call({ key: 'mine' })));
  await settled();
  await expect(outbox.dismiss('mine')).rejects.toThrow('being asked for');
  await clock.advance(60_000);
  expect(seen.error).toMatchObject({ name: 'OperationParkedError' });
  await outbox.dismiss('mine');
  await outbox.dismiss('mine');
  expect(await outbox.list()).toEqual([]);
});

test('an indeterminate operation may have run: a sign-out counts it so, and a later "no" is not its outcome', async () => {
  const { open, script } = world();
  script.push(() => fails(409, { refusal: 'INDETERMINATE' }));
  const outbox = open();
  const { key } = await rejection(outbox.submit(call()));
  expect(await outbox.list()).toMatchObject([{ parked: 'indeterminate', mayHaveRun: true }]);
  script.push(() => fails(403));
  await expect(outbox.resume(key)).rejects.toMatchObject({ name: 'OutcomeUnknownError', reason: 'declined' });
  expect(await outbox.signOut({ pending: 'keep' })).toMatchObject({ unknown: 1, unsent: 0 });
});

test('what was never sent does not expire: its key is new to the server, however old the call', async () => {
  const { open, script, sent, clock } = world();
  const lane = 'cart:1';
  const outbox = open();
  script.push(() => fails(409, { settlement: 'settled' }));
  const first = watched(outbox.submit(call({ key: 'a', lane, retentionMs: DAY })));
  const halted = watched(outbox.submit(call({ key: 'b', lane, retentionMs: DAY })));
  await settled();
  expect([first.ended, halted.ended]).toEqual([true, true]);
  await clock.advance(3 * DAY);
  expect(await outbox.resume('b')).toBe('done b');
  expect(sent.at(-1)).toMatchObject({ key: 'b', ageMs: 0 });
});

test('what never reached the server does not expire either', async () => {
  const { open, script, sent, clock } = world();
  script.push(() => refused);
  const outbox = open();
  const error = await rejection(
    outbox.submit(call({ key: 'k', retentionMs: DAY, retry: { maxAttempts: 1 } })),
  );
  expect(error).toMatchObject({ name: 'OutcomeUnknownError' });
  await clock.advance(3 * DAY);
  expect(await outbox.resume('k')).toBe('done k');
  expect(sent.at(-1)).toMatchObject({ ageMs: 0, key: 'k' });
});

test('killed in its first attempt, which came long after the call, an operation is asked for again and not taken for too old', async () => {
  const it = world();
  const lane = 'cart:1';
  const outbox = it.open();
  it.script.push(() => fails(409, { settlement: 'settled' }));
  watched(outbox.submit(call({ key: 'a', lane, retentionMs: DAY })));
  watched(outbox.submit(call({ key: 'b', lane, retentionMs: DAY })));
  await it.clock.advance(3 * DAY);
  it.script.push((_, commit) => {
    commit();
    return new Promise<never>(() => {});
  });
  watched(outbox.resume('b'));
  await settled();
  expect(it.effects).toEqual(['b']);
  const killed = it.open();
  expect(await killed.resume('b')).toBe('done b');
  expect(it.sent.at(-1)).toMatchObject({ ageMs: 0 });
});

test('a 401 for nobody is the end: whoever signs in is somebody else, and taps again', async () => {
  const it = world();
  it.signedIn = null;
  it.script.push(() => fails(401));
  const error = await rejection(it.open().submit(call({ intent: 'checkout:1' })));
  expect(error).toMatchObject({ name: 'TRPCClientError', data: { httpStatus: 401 } });
  expect(it.texts.size).toBe(0);
  it.signedIn = 'ann';
  await it.open().submit(call({ intent: 'checkout:1' }));
  expect(it.effects).toEqual([it.sent[1]!.key]);
  expect(it.sent[1]!.key).not.toBe(it.sent[0]!.key);
});

test("so it is where nobody's session could be renewed, and not where it could", async () => {
  const it = world();
  it.signedIn = null;
  it.script.push(
    () => fails(401),
    () => fails(401),
  );
  const outbox = it.open({ refresh: async () => true });
  expect(await rejection(outbox.submit(call()))).toMatchObject({ name: 'TRPCClientError' });
  expect(it.sent.length).toBe(2);
  it.script.push(() => fails(401));
  expect(await outbox.submit(call())).toContain('done');
});

test('a 401 for nobody after an attempt that may have run is not the outcome', async () => {
  const it = world();
  it.signedIn = null;
  it.script.push(
    () => lost,
    () => fails(401),
  );
  const waiting = watched(it.open().submit(call()));
  await it.clock.advance(1_000);
  expect(waiting.error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'declined', mayHaveRun: true });
});
