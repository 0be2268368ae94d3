import { PGlite } from '@electric-sql/pglite';
import { type OnceEvent, pgliteRecords, recordsIn } from '@trpc-once/server';
import { expect, test } from 'vitest';
import type { BankHooks } from '../bank/bank-router.js';
import { createBankTables, type Sql } from '../bank/bank-tables.js';
import { Disposal } from '../bank/disposal.js';
import { effects, oneEuro, openBank, recordsOf, send, startBank } from '../bank/index.js';
import { orm } from '../conformance/records-stores.js';
import { signal } from '../invariants/signal.js';
import { freshDatabase, until } from '../resources/index.js';
import { said } from './answer.js';

/** A run of the handler may take this long here; long enough for a good one on a busy machine. */
const runTimeoutMs = 2_500;

/** Until an answer: the limit, a rollback that is not confirmed, a look for the record, and a busy machine. */
const answerMs = 20_000;

const timedOut = (events: readonly OnceEvent[]) => events.filter(({ type }) => type === 'run-timed-out');

interface Opened extends AsyncDisposable {
  readonly url: string;
  readonly db: Sql;
  readonly events: readonly OnceEvent[];
}

type Open = (hooks: BankHooks) => Promise<Opened>;

const overPool =
  (pipeline: boolean): Open =>
  async (hooks) => {
    const bank = await openBank({ hooks, pipeline, once: { runTimeoutMs } });
    return { ...bank, events: bank.bank.events };
  };

const overOrm: Open = async (hooks) => {
  const stack = new Disposal();
  const database = stack.use(await freshDatabase());
  const pool = database.pool({ max: 5 });
  const db = database.pool({ max: 2 }) as Sql;
  await createBankTables(db);
  const records = recordsIn(orm(pool)) as never;
  const bank = stack.use(await startBank({ db, records, hooks, once: { runTimeoutMs } }));
  await bank.once.migrate();
  return {
    url: bank.url,
    db,
    events: bank.events,
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
};

const overPGlite: Open = async (hooks) => {
  const stack = new Disposal();
  const db = await PGlite.create();
  stack.defer(() => db.close());
  await createBankTables(db as Sql);
  const records = pgliteRecords(db) as never;
  const bank = stack.use(await startBank({ db: db as Sql, records, hooks, once: { runTimeoutMs } }));
  await bank.once.migrate();
  return {
    url: bank.url,
    db: db as Sql,
    events: bank.events,
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
};

const places: [string, Open][] = [
  ['a pipelining pool', overPool(true)],
  ['a plain pool', overPool(false)],
  ['an ORM', overOrm],
  ['PGlite', overPGlite],
];

test.each(places)(
  'a handler that does not return: released with 503 and told, and when it returns after all it settles nothing (%s)',
  async (_, open) => {
    const late = signal();
    let lateStatement: Promise<unknown> | undefined;
    const over = signal();
    let hang = true;
    await using bank = await open({
      async after({ tx }) {
        if (!hang) return;
        hang = false;
        await late.given;
        lateStatement = tx.query(`INSERT INTO ledger (procedure, key, cents) VALUES ('late', 'late', 0)`);
        await lateStatement.catch(() => {});
        over.give();
      },
    });
    const beganAt = performance.now();
    const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
    expect(performance.now() - beganAt).toBeLessThan(answerMs);
    expect(said(answer)).toBe('released');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(timedOut(bank.events)).toMatchObject([
      { call: { procedure: 'transfer', key: 'k1' }, error: { name: 'RunTimeoutError', runTimeoutMs } },
    ]);
    expect(await effects(bank.db)).toBe(0);

    // Another attempt has settled by the time that the first one's handler wakes up.
    const settled = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
    expect(said(settled)).toBe('settled');
    late.give();
    await over.given;
    await expect(lateStatement).rejects.toThrow();
    expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1' })).text).toBe(settled.text);
    expect(await effects(bank.db)).toBe(1);
  },
);

for (const pipeline of [true, false])
  test.concurrent(`a handler's own statement on a connection that went silent: released in bounded time, its claim with it, and nothing of it is committed when the network is back (${pipeline ? 'pipelining' : 'plain'} pool)`, async () => {
    const silent = signal();
    let first = true;
    let ended: unknown;
    await using bank = await openBank({
      pipeline,
      answerTimeoutMs: 1_000,
      once: { runTimeoutMs, findOutMs: 500 },
      hooks: {
        async after({ tx }) {
          if (!first) return;
          first = false;
          bank.network.pause();
          silent.give();
          await tx.query('SELECT 1').catch((error) => {
            ended = error;
          });
        },
      },
    });
    const asked = send(bank.url, 'transfer', oneEuro, { key: 'k1' });
    await silent.given;
    expect(said(await send(bank.url, 'transfer', oneEuro, { key: 'k1' }))).toBe('IN_PROGRESS');
    expect(said(await asked)).toBe('released');
    expect(timedOut(bank.bank.events)).toHaveLength(1);
    expect(await bank.claimKeys()).toEqual([]);
    // The network is silent still: the connection was closed without waiting for what was sent on it.
    await until(() => ended, { what: 'the handler hears that its connection is closed' });
    bank.network.resume();
    const settled = await until(
      async () => {
        const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
        return said(answer) === 'settled' && answer;
      },
      { what: 'the key runs again' },
    );
    expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1' })).text).toBe(settled.text);
    expect(await effects(bank.db)).toBe(1);
    expect(await recordsOf(bank.db)).toHaveLength(1);
  });

test.concurrent('a handler that waits for a row somebody holds: Postgres ends the statement by itself, and the hold with it', async () => {
  let first = true;
  await using bank = await openBank({
    answerTimeoutMs: 300,
    once: { runTimeoutMs: 1_000 },
    hooks: {
      async after({ tx }) {
        if (!first) return;
        first = false;
        await tx.query('SELECT pg_sleep(60)');
      },
    },
  });
  expect(said(await send(bank.url, 'transfer', oneEuro, { key: 'k1' }))).toBe('released');
  await until(async () => said(await send(bank.url, 'transfer', oneEuro, { key: 'k1' })) === 'settled', {
    withinMs: 20_000,
    what: 'the operation is free again',
  });
  expect(await effects(bank.db)).toBe(1);
});

test.concurrent('waiting callers are answered too: one of them runs when the one they waited for ran out of time', async () => {
  let first = true;
  await using bank = await openBank({
    once: { runTimeoutMs, whenInProgress: { waitMs: 25_000 } },
    hooks: {
      async before() {
        if (!first) return;
        first = false;
        await new Promise(() => {});
      },
    },
  });
  const asked = send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  await until(async () => (await bank.claimKeys()).length === 1, { what: 'the first has the claim' });
  const waiting = Promise.all([1, 2, 3].map(() => send(bank.url, 'transfer', oneEuro, { key: 'k1' })));
  expect(said(await asked)).toBe('released');
  const answers = await waiting;
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.map(said).sort()).toEqual(['replayed', 'replayed', 'settled']);
  expect(await effects(bank.db)).toBe(1);
});

test.concurrent('the runs that a conflict asks for share one limit', async () => {
  let runs = 0;
  await using bank = await openBank({
    once: { runTimeoutMs },
    hooks: {
      async before({ tx }) {
        if (++runs > 1) await new Promise(() => {});
        await tx.query(`SELECT pg_sleep(1)`);
        await tx.query(`DO $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '40001'; END $$`);
      },
    },
  });
  const beganAt = performance.now();
  expect(said(await send(bank.url, 'transfer', oneEuro, { key: 'k1' }))).toBe('released');
  expect(runs).toBe(2);
  expect(timedOut(bank.bank.events)).toHaveLength(1);
  expect(performance.now() - beganAt).toBeGreaterThan(runTimeoutMs - 10);
});
