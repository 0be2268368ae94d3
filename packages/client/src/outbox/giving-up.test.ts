import { expect, test } from 'vitest';
import { settled } from '../testing/fake-clock.js';
import { call, fails, lost, refused, rejection, says, watched, world } from '../testing/world.js';

test('case 44: an outage longer than the budget leaves the operation kept, and its outcome unknown', async () => {
  const { open, script, sent, clock, texts, effects } = world();
  script.push(...Array(5).fill(() => lost));
  const outbox = open();
  const seen = watched(outbox.submit(call({ retry: { maxAttempts: 5 } })));
  await clock.advance(120_000);
  expect(seen.error).toMatchObject({
    name: 'OutcomeUnknownError',
    reason: 'attempts-spent',
    attempts: 5,
    key: sent[0]!.key,
  });
  expect(seen.error).toHaveProperty('cause', (lost as { cause: unknown }).cause);
  expect(texts.size).toBe(1);
  const [kept] = await outbox.list();
  expect(kept).toMatchObject({ state: 'waiting', attempts: 5 });
  const resumed = (seen.error as { resume(): Promise<unknown> }).resume();
  expect(await resumed).toBe(`done ${sent[0]!.key}`);
  expect(sent.length).toBe(6);
  expect(effects).toEqual([sent[0]!.key]);
});

test("the asking goes on after its caller's wait is over, and the error can wait for what it finds", async () => {
  const { open, script, clock, sent, told } = world();
  script.push(
    () => lost,
    () => lost,
    () => lost,
  );
  const outbox = open();
  const retry = { minDelayMs: 10_000, maxDelayMs: 10_000 };
  const seen = watched(outbox.submit(call({ waitMs: 1_000, retry: { waitMs: 1_000, ...retry } })));
  await clock.advance(1_000);
  expect(seen.error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'wait-over', attempts: 1 });
  const late = watched((seen.error as { wait(): Promise<unknown> }).wait());
  await clock.advance(60_000);
  expect(late.data).toBe(`done ${sent[0]!.key}`);
  expect(told).toEqual([]);
});

test('whoever resumes one operation need not wait for its backoff', async () => {
  const { open, script, clock, sent } = world();
  script.push(() => lost);
  const outbox = open();
  const retry = { minDelayMs: 20_000, maxDelayMs: 20_000, waitMs: 1_000 };
  const seen = watched(outbox.submit(call({ waitMs: 1_000, retry })));
  await clock.advance(1_000);
  const resumed = watched((seen.error as { resume(): Promise<unknown> }).resume());
  await clock.advance(0);
  expect(resumed.data).toBe(`done ${sent[0]!.key}`);
  expect(sent.length).toBe(2);
});

test('an operation that is answered "in progress" for ever is asked for no longer than two minutes at a time', async () => {
  const { open, script, clock, sent } = world();
  script.push(...Array(500).fill(() => fails(409, { refusal: 'IN_PROGRESS' })));
  const outbox = open();
  watched(outbox.submit(call({ waitMs: 1_000 })));
  await clock.advance(120_000);
  const asked = sent.length;
  expect(asked).toBeGreaterThan(60);
  await clock.advance(600_000);
  expect(sent.length).toBe(asked);
  expect(await outbox.list()).toMatchObject([{ state: 'waiting' }]);
});

test('an outcome found between giving up and asking the error is still there to be had', async () => {
  const { open, script, clock, told } = world();
  script.push(() => lost);
  const outbox = open();
  const seen = watched(outbox.submit(call({ retry: { maxAttempts: 1 } })));
  await clock.advance(1);
  await outbox.resume();
  expect(told.length).toBe(1);
  const { wait, resume, key } = seen.error as {
    wait(): Promise<unknown>;
    resume(): Promise<unknown>;
    key: string;
  };
  expect([await wait(), await resume(), await outbox.wait(key)]).toEqual(Array(3).fill(`done ${key}`));
});

test('case 54: an aborted signal stops the waiting only; the outcome goes to onSettled', async () => {
  const { open, script, clock, told, sent, effects } = world();
  script.push(() => lost);
  const aborting = new AbortController();
  const seen = watched(open().submit(call({ signal: aborting.signal })));
  await settled();
  aborting.abort(new Error('unmounted'));
  await settled();
  expect(seen.error).toMatchObject({
    name: 'OutcomeUnknownError',
    reason: 'aborted',
    cause: { message: 'unmounted' },
  });
  await clock.advance(10_000);
  expect(effects).toEqual([sent[0]!.key]);
  expect(told).toMatchObject([
    { operation: { key: sent[0]!.key }, outcome: { ok: true, data: `done ${sent[0]!.key}` } },
  ]);
});

test('a signal aborted while the outbox is being read means that nothing is sent', async () => {
  const { open, texts, sent } = world();
  const aborting = new AbortController();
  const seen = watched(open().submit(call({ signal: aborting.signal, intent: 'checkout:1' })));
  aborting.abort();
  await settled();
  expect(seen.error).toMatchObject({ name: 'NotSentError', reason: 'aborted' });
  expect([sent.length, texts.size]).toEqual([0, 0]);
});

test('an owner that cannot be told means that nothing is sent', async () => {
  const it = world();
  const outbox = it.open();
  const broken = new Error('session store is gone');
  Object.defineProperty(it, 'signedIn', {
    get() {
      throw broken;
    },
  });
  await expect(outbox.submit(call())).rejects.toMatchObject({
    name: 'NotSentError',
    reason: 'options',
    cause: broken,
  });
});

test('a signal aborted before the call means that nothing is sent', async () => {
  const { open, texts, sent } = world();
  await expect(open().submit(call({ signal: AbortSignal.abort() }))).rejects.toMatchObject({
    name: 'NotSentError',
    reason: 'aborted',
  });
  expect([sent.length, texts.size]).toEqual([0, 0]);
});

test('the server that answers "no" to the first attempt settles the operation as failed', async () => {
  const { open, script, texts } = world();
  script.push(() => fails(400));
  const error = await open()
    .submit(call())
    .catch((error) => error);
  expect(error).toMatchObject({
    name: 'TRPCClientError',
    data: { httpStatus: 400 },
    meta: { idempotencyKey: expect.any(String) },
  });
  await settled();
  expect(texts.size).toBe(0);
});

test('a "no" after an attempt that may have run is not taken for its outcome', async () => {
  const { open, script, clock, effects, sent } = world();
  script.push(
    (_, commit) => {
      commit();
      return lost;
    },
    () => fails(403),
  );
  const outbox = open();
  const seen = watched(outbox.submit(call()));
  await clock.advance(10_000);
  expect(seen.error).toMatchObject({
    name: 'OutcomeUnknownError',
    reason: 'declined',
    cause: { data: { httpStatus: 403 } },
  });
  expect(await outbox.list()).toMatchObject([{ state: 'parked', parked: 'declined' }]);
  expect(await outbox.resume()).toEqual({ settled: 1, pending: 0 });
  expect(effects).toEqual([sent[0]!.key]);
});

test('a "no" after attempts that certainly did not run is the outcome', async () => {
  for (const harmless of [
    refused,
    fails(429),
    fails(503, { refusal: 'STORE_UNAVAILABLE' }),
    fails(500, { settlement: 'released' }),
  ]) {
    const { open, script, clock } = world();
    script.push(
      () => harmless,
      () => fails(403),
    );
    const seen = watched(open().submit(call()));
    await clock.advance(10_000);
    expect(seen.error).toMatchObject({ name: 'TRPCClientError', data: { httpStatus: 403 } });
  }
});

test('a "no" from behind the claim is the outcome, whatever came before', async () => {
  for (const certain of [
    fails(404, { settlement: 'released', key: 'k' }),
    fails(422, { refusal: 'FINGERPRINT_MISMATCH' }),
  ]) {
    const { open, script, clock } = world();
    script.push(
      () => lost,
      () => certain,
    );
    const seen = watched(open().submit(call()));
    await clock.advance(10_000);
    expect(seen.error).toMatchObject({ name: 'TRPCClientError', data: { idempotency: {} } });
  }
});

test('case 56: in-progress answers end nothing, and only the outcome does', async () => {
  const { open, script, clock, sent, events } = world();
  script.push(...Array(12).fill(() => fails(409, { refusal: 'IN_PROGRESS', retryAfterMs: 1_000 }, 1_000)));
  const seen = watched(open().submit(call({ retry: { maxAttempts: 2 } })));
  for (let second = 1; second < 12; second += 1) {
    await clock.advance(1_000);
    expect(seen.ended).toBe(false);
  }
  await clock.advance(30_000);
  expect(seen.data).toBe(`done ${sent[0]!.key}`);
  expect(events.filter(({ type }) => type === 'settled').length).toBe(1);
});

test('a Retry-After of hours parks the operation; it is not sent before, not even by a reload', async () => {
  const { open, script, clock, sent, texts } = world();
  const hour = 3_600_000;
  script.push(() => says(429, '{"error":"slow down"}', hour));
  const seen = watched(open().submit(call()));
  await settled();
  expect(seen.error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'retry-later' });
  expect([...texts.values()][0]).toContain(`"notBefore":${clock.now() + hour}`);
  const reloaded = open();
  expect(await reloaded.resume()).toEqual({ settled: 0, pending: 1 });
  expect(sent.length).toBe(1);
  await clock.advance(hour);
  expect(await reloaded.resume()).toEqual({ settled: 1, pending: 0 });
  expect(sent.length).toBe(2);
});

test('a resume within reach of Retry-After waits for it', async () => {
  const { open, script, clock, sent } = world();
  script.push(() => says(503, '{"error":"slow down"}', 150_000));
  const outbox = open();
  const seen = watched(outbox.submit(call()));
  await settled();
  expect(seen.error).toMatchObject({ reason: 'retry-later' });
  await clock.advance(60_000);
  const resumed = watched(outbox.resume());
  await clock.advance(89_000);
  expect(sent.length).toBe(1);
  await clock.advance(2_000);
  expect(resumed.data).toEqual({ settled: 1, pending: 0 });
});

test('waitMs 0 sends once and leaves the outcome to onSettled', async () => {
  const { open, told, clock, sent, script } = world();
  let answer: () => void = () => {};
  script.push((_, commit) => new Promise((resolve) => (answer = () => resolve(commit()))));
  const seen = watched(open().submit(call({ waitMs: 0, retry: { waitMs: 0 } })));
  await clock.advance(0);
  expect(seen.error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'wait-over' });
  answer();
  await settled();
  expect(sent.length).toBe(1);
  expect(told).toMatchObject([{ outcome: { ok: true } }]);
});

test('waitMs 0 does not mean one attempt', async () => {
  const { open, told, clock, sent, script } = world();
  script.push(
    () => lost,
    () => lost,
  );
  watched(open().submit(call({ waitMs: 0, retry: { waitMs: 0 } })));
  await clock.advance(10_000);
  expect(sent.length).toBe(3);
  expect(told).toMatchObject([{ outcome: { ok: true } }]);
});

test('closing ends every wait, sends nothing more, and keeps what is pending for the next process', async () => {
  const { open, script, clock, sent, effects } = world();
  script.push(
    () => new Promise(() => {}),
    () => lost,
  );
  const outbox = open();
  const inFlight = watched(outbox.submit(call()));
  const inBackoff = watched(outbox.submit(call()));
  await settled();
  await outbox.close();
  await clock.advance(60_000);
  for (const seen of [inFlight, inBackoff])
    expect(seen.error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'closed' });
  expect(sent.length).toBe(2);
  expect(clock.pending).toBe(0);
  await expect(outbox.submit(call())).rejects.toMatchObject({ name: 'NotSentError', reason: 'closed' });
  expect(await open().resume()).toEqual({ settled: 2, pending: 0 });
  expect(effects.length).toBe(2);
});

test('code of the app that throws leaves the operation kept, and says what threw', async () => {
  const it = world();
  it.script.push(() => lost);
  const outbox = it.open();
  const seen = watched(outbox.submit(call()));
  await settled();
  const broken = new Error('session store is gone');
  Object.defineProperty(it, 'signedIn', {
    configurable: true,
    get: () => {
      throw broken;
    },
  });
  await it.clock.advance(10_000);
  Object.defineProperty(it, 'signedIn', { value: 'ann', writable: true });
  expect(seen.error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'interrupted', cause: broken });
  expect(await outbox.resume()).toEqual({ settled: 1, pending: 0 });
});

test.each([
  ['every attempt was released', () => fails(500, { settlement: 'released' }), false],
  ['no connection came to be', () => refused, false],
  ['an answer was lost', () => lost, true],
])('an unknown outcome says whether it may have run: %s', async (_, reply, mayHaveRun) => {
  const { open, script } = world();
  script.push(reply);
  const error = await rejection(open().submit(call({ retry: { maxAttempts: 1 } })));
  expect(error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'attempts-spent', mayHaveRun });
});

test('what is under way when its caller leaves may have run, whatever came of the attempts before', async () => {
  const { open, script, clock } = world();
  script.push(() => new Promise(() => {}));
  const outbox = open();
  const leaving = watched(outbox.submit(call({ waitMs: 100 })));
  await clock.advance(101);
  expect(leaving.error).toMatchObject({ reason: 'wait-over', mayHaveRun: true });
  await outbox.close();
});

test('what was given up on for now can be dismissed: nothing more is sent of it, and its intent is free', async () => {
  const it = world();
  it.script.push(() => lost);
  const outbox = it.open({ rhythm: { minDelayMs: 10_000, maxDelayMs: 10_000 } });
  outbox.start();
  const given = call({ intent: 'checkout:1', retry: { maxAttempts: 1 } });
  await rejection(outbox.submit(given));
  const waiting = watched(outbox.wait(given.key));
  await outbox.dismiss(given.key);
  await settled();
  expect(waiting.error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'elsewhere', mayHaveRun: true });
  await it.clock.advance(60_000);
  expect(it.sent.length).toBe(1);
  expect(it.texts.size).toBe(0);
  await outbox.submit(call({ intent: 'checkout:1' }));
  expect(new Set(it.sent.map(({ key }) => key)).size).toBe(2);
  await outbox.close();
});
