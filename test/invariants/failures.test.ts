import { TRPCError } from '@trpc/server';
import { expect, test } from 'vitest';
import { effects, oneEuro, openBank, recordsOf, send, totalCents } from '../bank/index.js';
import { signal } from './signal.js';

test('a handler that throws after its insert leaves nothing, not even a record, and the same key runs again at once', async () => {
  let fail = true;
  await using bank = await openBank({
    hooks: {
      after() {
        if (fail) throw new Error('after the insert');
      },
    },
  });
  const failed = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(failed.status).toBe(500);
  expect(failed.body.error.data.idempotency).toEqual({ key: 'k1', settlement: 'released' });
  expect(await effects(bank.db)).toBe(0);
  expect(await recordsOf(bank.db)).toEqual([]);
  expect(await bank.claimKeys()).toEqual([]);
  fail = false;
  expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1' })).status).toBe(200);
  expect(await effects(bank.db)).toBe(1);
});

test('a declared error rolls the writes back, settles, and replays with its code, data and message', async () => {
  await using bank = await openBank();
  const tooMuch = { ...oneEuro, cents: 999_999 };
  const first = await send(bank.url, 'transfer', tooMuch, { key: 'k1' });
  expect(first.status).toBe(409);
  expect(first.headers.get('idempotency-status')).toBe('settled');
  expect(first.headers.get('retry-after')).toBeNull();
  expect(first.body.error).toMatchObject({
    message: 'INSUFFICIENT_FUNDS',
    data: {
      code: 'CONFLICT',
      declared: { name: 'INSUFFICIENT_FUNDS', data: { balanceCents: 100_000 } },
      idempotency: { settlement: 'settled', key: 'k1' },
    },
  });
  expect(await effects(bank.db)).toBe(0);
  expect(await totalCents(bank.db)).toBe(200_000);

  // Rich by now, but this operation has failed, and stays so.
  await bank.db.query(`UPDATE accounts SET cents = 10000000 WHERE id = 'a'`);
  for (const flushed of [false, true]) {
    if (flushed) await bank.flushClaims();
    const again = await send(bank.url, 'transfer', tooMuch, { key: 'k1' });
    expect(again.status).toBe(409);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.error.data.declared).toEqual(first.body.error.data.declared);
    expect(again.body.error.data.idempotency).toEqual({ settlement: 'replayed', key: 'k1' });
    expect({ ...again.body.error, data: null }).toEqual({ ...first.body.error, data: null });
  }
  expect(await effects(bank.db)).toBe(0);
  expect(await recordsOf(bank.db)).toMatchObject([{ key: 'k1', status: 'FAILED' }]);
});

test('an error that the app calls final settles and replays as the same TRPCError', async () => {
  let runs = 0;
  await using bank = await openBank({
    once: { isFinal: (error) => error.code === 'FORBIDDEN' },
    hooks: {
      after() {
        runs++;
        throw new TRPCError({ code: 'FORBIDDEN', message: 'the account is frozen' });
      },
    },
  });
  const first = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  const second = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(first.status).toBe(403);
  expect(second.status).toBe(403);
  expect(second.body.error.message).toBe('the account is frozen');
  expect(second.body.error.data.idempotency.settlement).toBe('replayed');
  expect(runs).toBe(1);
  expect(await effects(bank.db)).toBe(0);
});

test('a serialisation failure or deadlock runs again inside and is never an outcome', async () => {
  let runs = 0;
  await using bank = await openBank({
    hooks: {
      async after({ tx }) {
        if (++runs < 3) await tx.query(`DO $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '40001'; END $$`);
      },
    },
  });
  const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(answer.status).toBe(200);
  expect(runs).toBe(3);
  expect(bank.bank.events.filter(({ type }) => type === 'run-again')).toHaveLength(2);
  expect(await effects(bank.db)).toBe(1);
});

test('a conflict that does not end is released with 503 after three runs, though the handler hid it in a declared error', async () => {
  let runs = 0;
  await using bank = await openBank({
    hooks: {
      async before({ tx }) {
        runs++;
        await tx
          .query(`DO $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '40P01'; END $$`)
          .catch(() => undefined);
      },
    },
  });
  const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(runs).toBe(3);
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(answer.body.error.data.idempotency).toMatchObject({ settlement: 'released', retryAfterMs: 1_000 });
  expect(await recordsOf(bank.db)).toEqual([]);
});

test('Postgres gone for one call: 503, nothing kept, and the retry succeeds', async () => {
  await using bank = await openBank({ poolSize: 1 });
  await send(bank.url, 'transfer', oneEuro, { key: 'warm' });
  let cut = true;
  Object.assign(bank.bank.hooks, {
    async after({ tx }: { tx: { query(text: string): Promise<unknown> } }) {
      if (!cut) return;
      cut = false;
      const { rows } = (await tx.query('SELECT pg_backend_pid() AS pid')) as { rows: { pid: number }[] };
      await bank.db.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
      await tx.query('SELECT 1');
    },
  });
  const failed = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(failed.status).toBe(503);
  expect(failed.body.error.data.idempotency.settlement).toBe('released');
  expect(await effects(bank.db, 'k1')).toBe(0);
  expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1' })).status).toBe(200);
  expect(await effects(bank.db, 'k1')).toBe(1);
});

test('an output too large, or a stream, or a Map that JSON writes as nothing, fails before the commit with the writes rolled back and says why', async () => {
  await using bank = await openBank({ once: { maxOutcomeLength: 1_000 } });
  const large = await send(bank.url, 'echo', 'x'.repeat(2_000), { key: 'k1' });
  expect(large.status).toBe(500);
  expect(large.body.error.message).toContain('maxOutcomeLength');
  Object.assign(bank.bank.hooks, { echo: () => (async function* () {})() });
  const stream = await send(bank.url, 'echo', 1, { key: 'k2' });
  expect(stream.status).toBe(500);
  expect(stream.body.error.message).toContain('cannot be replayed');
  Object.assign(bank.bank.hooks, { echo: () => 1n });
  const bigint = await send(bank.url, 'echo', 1, { key: 'k3' });
  expect(bigint.status).toBe(500);
  expect(bigint.body.error.message).toContain('serialise');
  Object.assign(bank.bank.hooks, { echo: () => ({ lines: new Map([['tea', 2]]) }) });
  const map = await send(bank.url, 'echo', 1, { key: 'k4' });
  expect(map.status).toBe(500);
  expect(map.body.error.message).toContain('JSON writes as {} (Map)');
  expect(await effects(bank.db)).toBe(0);
  expect(await recordsOf(bank.db)).toEqual([]);
  expect(await bank.claimKeys()).toEqual([]);
});

test('a handler that ends the transaction itself is stopped, and nothing is kept', async () => {
  await using bank = await openBank({
    hooks: {
      async after({ tx }) {
        await tx.query('COMMIT');
      },
    },
  });
  const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(answer.status).toBe(500);
  expect(await effects(bank.db)).toBe(0);
});

test('without the table nothing runs, and the event says to migrate', async () => {
  await using bank = await openBank();
  await bank.db.query('DROP TABLE idempotency_records');
  const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(answer.status).toBe(503);
  expect(answer.body.error.data.idempotency.refusal).toBe('STORE_UNAVAILABLE');
  expect(await effects(bank.db)).toBe(0);
  // Why is the operator's business.
  expect(answer.text).not.toMatch(/idempotency_records|relation|migrate/);
  const event = bank.bank.events.find(({ type }) => type === 'records-failed');
  expect(String((event as { error: unknown }).error)).toContain('once.migrate()');
});

test('closing waits for the calls inside and refuses new ones with 503', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let entered = (): void => {};
  const inside = new Promise<void>((resolve) => {
    entered = resolve;
  });
  await using bank = await openBank({
    hooks: {
      async before() {
        entered();
        await held;
      },
    },
  });
  const running = send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  await inside;
  let closed = false;
  const closing = bank.bank.once.close().then(() => {
    closed = true;
  });
  const refused = await send(bank.url, 'transfer', oneEuro, { key: 'k2' });
  expect(refused.status).toBe(503);
  expect(closed).toBe(false);
  release();
  expect((await running).status).toBe(200);
  await closing;
  expect(await effects(bank.db)).toBe(1);
});

test('closing waits no longer than it may, says what it left behind, and that call is answered all the same', async () => {
  const inside = signal();
  const goOn = signal();
  await using bank = await openBank({
    once: { closeTimeoutMs: 100 },
    hooks: {
      async before() {
        inside.give();
        await goOn.given;
      },
    },
  });
  const running = send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  await inside.given;
  await bank.bank.once.close();
  expect(bank.bank.events).toContainEqual({
    type: 'left-behind',
    calls: [{ procedure: 'transfer', key: 'k1' }],
  });
  goOn.give();
  expect((await running).status).toBe(200);
  expect(await effects(bank.db)).toBe(1);
});

test.each([
  ['null', null],
  ['undefined', undefined],
  ['a string', 'no'],
  ['a frozen error', Object.freeze(new Error('no'))],
])('a handler that throws %s is released like any other', async (_, thrown) => {
  let fail = true;
  await using bank = await openBank({
    hooks: {
      after() {
        if (fail) throw thrown;
      },
    },
  });
  const failed = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(failed.status).toBe(500);
  expect(failed.body.error.data.idempotency).toEqual({ key: 'k1', settlement: 'released' });
  fail = false;
  expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1' })).status).toBe(200);
  expect(await effects(bank.db)).toBe(1);
});

test('a pool of one connection settles a declared error, which takes a second transaction, and takes calls by turns', async () => {
  await using bank = await openBank({ poolSize: 1 });
  const poor = { ...oneEuro, cents: 999_999 };
  const answers = await Promise.all([
    send(bank.url, 'transfer', poor, { key: 'k1' }),
    send(bank.url, 'transfer', oneEuro, { key: 'k2' }),
    send(bank.url, 'transfer', poor, { key: 'k3' }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([409, 200, 409]);
  expect(answers.map(({ headers }) => headers.get('idempotency-status'))).toEqual(Array(3).fill('settled'));
});
