import { type TcpProxy, tcpProxy } from '@trpc-once/faulty-network';
import {
  CommitUnknownError,
  type PgDatabaseOptions,
  postgresRecords,
  type RecordStore,
  recordsIn,
} from '@trpc-once/server';
import { describe, expect, test } from 'vitest';
import type { Sql } from '../bank/bank-tables.js';
import { signal } from '../invariants/signal.js';
import { freshDatabase } from '../resources/index.js';
import { type OpenRecords, openOrm, openPostgres, orm } from './records-stores.js';
import { done, draft, effectCount, oneEffect, rejection, told } from './records-suite.js';

const other = { ...draft, id: { ...draft.id, key: 'other' } };

/** Records behind a network that can be cut. */
async function openBehindNetwork(pipeline: boolean, timeouts: PgDatabaseOptions = {}) {
  const database = await freshDatabase();
  const { hostname, port } = new URL(database.url);
  const network: TcpProxy = await tcpProxy({ upstream: { host: hostname, port: Number(port) } });
  const through = new URL(database.url);
  through.host = `127.0.0.1:${network.port}`;
  const pool = database.pool({ connectionString: through.href, max: 5, pipeline } as object);
  const records = postgresRecords(pool, timeouts) as RecordStore<Sql>;
  const db = database.pool({ max: 2 });
  await records.migrate();
  await db.query('CREATE TABLE effects (id int PRIMARY KEY, note text)');
  // Prepared statements are known from here on, as in the middle of a day.
  await records.transact(other, async () => done);
  return {
    ...{ records, db, pool, network },
    async [Symbol.asyncDispose]() {
      network.resume();
      await network.accept();
      await database[Symbol.asyncDispose]();
      await network[Symbol.asyncDispose]();
    },
  };
}

const settles = (records: RecordStore<Sql>) =>
  expect
    .poll(() => records.transact(draft, oneEffect(2)).then((end) => end.kind, String), { timeout: 10_000 })
    .toMatch(/settled|found/);

describe.each([
  ['plain', false],
  ['pipelining', true],
] as const)('a %s pool', (_, pipeline) => {
  test('the connection is cut before COMMIT is sent: rejected as unavailable, never as a COMMIT without an answer', async () => {
    for (const moment of ['in the handler', 'after its last statement'] as const) {
      await using opened = await openBehindNetwork(pipeline);
      const { records, db, network } = opened;
      const pending = records.transact(draft, async (tx) => {
        await oneEffect()(tx);
        network.cut();
        if (moment === 'in the handler') await tx.query('SELECT 1');
        else await expect.poll(() => network.counts().open, { timeout: 10_000 }).toBe(0);
        return done;
      });
      const error = await rejection(pending);
      expect(error, moment).not.toBeInstanceOf(CommitUnknownError);
      expect(told(error)).toMatch(/ECONNRESET|terminated|not queryable/);
      expect(await effectCount(db)).toBe(0);
      await settles(records);
    }
  });

  test('the answer to COMMIT is lost: unknown, and it was committed', async () => {
    await using opened = await openBehindNetwork(pipeline);
    const { records, db, network } = opened;
    const lost = network.cutBefore('COMMIT', 'to-client');
    expect(await rejection(records.transact(draft, oneEffect()))).toBeInstanceOf(CommitUnknownError);
    expect(await lost).toBe(true);
    expect(await effectCount(db)).toBe(1);
    expect(await records.probe(draft.id)).toMatchObject({ kind: 'found' });
  });

  test('COMMIT is lost on its way: unknown, and nothing was committed', async () => {
    await using opened = await openBehindNetwork(pipeline);
    const { records, db, network } = opened;
    const lost = network.cutBefore('COMMIT', 'to-upstream');
    expect(await rejection(records.transact(draft, oneEffect()))).toBeInstanceOf(CommitUnknownError);
    expect(await lost).toBe(true);
    await expect.poll(() => records.probe(draft.id), { timeout: 10_000 }).toEqual({ kind: 'absent' });
    expect(await effectCount(db)).toBe(0);
    await settles(records);
  });

  test('the answer to the record’s insert is lost: unknown only where COMMIT had left with it', async () => {
    await using opened = await openBehindNetwork(pipeline);
    const { records, db, network } = opened;
    const lost = network.cutBefore('INSERT 0 1\0', 'to-client');
    const error = await rejection(records.transact(draft, async () => done));
    expect(await lost).toBe(true);
    if (!pipeline) expect(error).not.toBeInstanceOf(CommitUnknownError);
    const record = async () => (await records.probe(draft.id)).kind;
    await expect.poll(record, { timeout: 10_000 }).toMatch(/found|absent/);
    // What was called known is known.
    if (!(error instanceof CommitUnknownError)) expect(await record()).toBe('absent');
    expect(await effectCount(db)).toBe(0);
  });

  test('Postgres ends the session in the middle of a statement, and between two: unavailable', async () => {
    await using opened = await openPostgres(pipeline);
    const { records, db } = opened;
    for (const [n, when] of ['in a statement', 'between two'].entries()) {
      const id = { ...draft.id, key: `k${n}` };
      const pending = records.transact({ ...draft, id }, async (tx) => {
        await oneEffect(n)(tx);
        const { rows } = await tx.query('SELECT pg_backend_pid() AS pid');
        if (when === 'in a statement') {
          const asleep = tx.query('SELECT pg_sleep(60)');
          await db.query('SELECT pg_terminate_backend($1, 5000)', [rows[0].pid]);
          await asleep;
        } else {
          await db.query('SELECT pg_terminate_backend($1, 5000)', [rows[0].pid]);
          await tx.query('SELECT 1');
        }
        return done;
      });
      const error = await rejection(pending);
      expect(error).not.toBeInstanceOf(CommitUnknownError);
      expect(told(error)).toMatch(/terminat|not queryable/);
      expect(await effectCount(db)).toBe(0);
      expect(await records.transact({ ...draft, id }, async () => done)).toMatchObject({ kind: 'settled' });
    }
  });

  test('a database that does not answer: every call ends in bounded time, and the connection is not lent again', async () => {
    await using opened = await openBehindNetwork(pipeline, {
      connectTimeoutMs: 1_500,
      answerTimeoutMs: 1_500,
    });
    const { records, network, db } = opened;
    network.pause();
    const beganAt = performance.now();
    const pending = [records.transact(draft, oneEffect()), records.read(draft.id), records.probe(draft.id)];
    for (const error of await Promise.all(pending.map(rejection)))
      expect(told(error)).toContain('took longer than 1500 ms');
    expect(performance.now() - beganAt).toBeLessThan(10_000);
    network.resume();
    await settles(records);
    expect(await effectCount(db)).toBe(1);
  });

  test('a COMMIT that is not answered in time is unknown, not failed', async () => {
    await using database = await freshDatabase();
    const records = postgresRecords(database.pool({ pipeline } as object), { answerTimeoutMs: 1_500 });
    await records.migrate();
    const db = database.pool();
    await db.query(`CREATE TABLE slow (n int)`);
    await db.query(`CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN PERFORM pg_sleep(4); RETURN NULL; END $$`);
    await db.query(`CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON slow
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION sleep()`);
    const pending = records.transact(draft, async (tx) => {
      await tx.query('INSERT INTO slow VALUES (1)');
      return done;
    });
    expect(await rejection(pending)).toBeInstanceOf(CommitUnknownError);
    // Still under way: nobody may take a missing record for the truth.
    expect(await records.probe(draft.id)).toEqual({ kind: 'busy' });
    await expect.poll(async () => (await records.probe(draft.id)).kind, { timeout: 15_000 }).not.toBe('busy');
    const { rows } = await db.query('SELECT count(*)::int AS count FROM slow');
    expect((await records.probe(draft.id)).kind).toBe(rows[0].count === 1 ? 'found' : 'absent');
  });

  test('a pool that is used up: the call is turned away in time, and the connection that comes late goes back', async () => {
    await using database = await freshDatabase();
    const pool = database.pool({ max: 1, pipeline } as object);
    const records = postgresRecords(pool, { connectTimeoutMs: 200 }) as RecordStore<Sql>;
    await records.migrate();
    const taken = await pool.connect();
    const error = await rejection(records.transact(draft, async () => done));
    expect(error.message).toBe('getting a connection to Postgres took longer than 200 ms');
    taken.release();
    expect(await records.transact(draft, async () => done)).toMatchObject({ kind: 'settled' });
    expect(pool.totalCount - pool.idleCount).toBe(0);
  });
});

test.each<[string, () => Promise<OpenRecords>]>([
  ['a plain pool', () => openPostgres(false)],
  ['a pipelining pool', () => openPostgres(true)],
  ['an ORM that hides what its rollback said', openOrm],
])(
  'a session that ended before the handler’s own error: that error is not told as if the operation had been free (%s)',
  async (_, open) => {
    await using opened = await open();
    const { records, db } = opened;
    const refusal = new Error('not enough money');
    const pending = records.transact(draft, async (tx) => {
      const { rows } = await tx.query('SELECT pg_backend_pid() AS pid');
      await db.query('SELECT pg_terminate_backend($1, 5000)', [rows[0].pid]);
      // While this one did not know, another took effect.
      expect(await records.transact(draft, oneEffect())).toMatchObject({ kind: 'settled' });
      throw refusal;
    });
    const error = await rejection(pending);
    expect(error).not.toBe(refusal);
    expect(told(error)).toMatch(/terminat|not queryable/);
  },
);

test('a probe finds what was committed before it got the hold, though its snapshot is older', async () => {
  await using opened = await openOrm();
  const { records, pool } = opened;
  const snapshot = signal();
  const goOn = signal();
  // What a database with default_transaction_isolation = 'repeatable read' may do in the blink of an eye.
  const old = recordsIn(
    orm(pool, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1', async () => {
      snapshot.give();
      await goOn.given;
    }),
  );
  let probing: Promise<unknown> | undefined;
  await records.transact(draft, async () => {
    probing = old.probe(draft.id);
    await snapshot.given;
    return done;
  });
  goOn.give();
  expect(await probing).toMatchObject({ kind: 'found', record: { outcome: done } });
});
