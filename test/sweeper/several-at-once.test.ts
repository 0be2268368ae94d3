import { postgresRecords, type RecordStore, recordsIn } from '@trpc-once/server';
import { expect, test } from 'vitest';
import { orm } from '../conformance/records-stores.js';
import { type FreshDatabase, freshDatabase, spawnProgram, until } from '../resources/index.js';
import { countRecords, insertAged } from './aged-records.js';

interface Swept {
  readonly expired: number;
  readonly abandoned: number;
}

const spawnSweeper = (database: FreshDatabase) =>
  spawnProgram(new URL('./sweeper-program.ts', import.meta.url), { env: { DATABASE_URL: database.url } });

async function withRecords(database: FreshDatabase) {
  const db = database.pool({ max: 3 });
  const records = postgresRecords(db);
  await records.migrate();
  return { db, records };
}

test('two processes that sweep at once delete each expired record once, mark each abandoned one once, and touch no other', async () => {
  await using database = await freshDatabase();
  const { db } = await withRecords(database);
  await insertAged(db, { count: 3_000, prefix: 'old' });
  await insertAged(db, { count: 500, prefix: 'live', expiresAt: `now() + interval '1 hour'` });
  await insertAged(db, {
    ...{ count: 300, prefix: 'left', status: 'IN_PROGRESS' },
    ...{ updatedAt: `now() - interval '16 minutes'`, expiresAt: `now() + interval '1 day'` },
  });
  await using one = await spawnSweeper(database);
  await using other = await spawnSweeper(database);
  one.tell('sweep');
  other.tell('sweep');
  const swept = [await one.hear<Swept>('swept'), await other.hear<Swept>('swept')];
  // Whichever ended first may have left what the other had in hand just then, and that one deleted it.
  expect(swept.reduce((sum, { expired }) => sum + expired, 0)).toBe(3_000);
  expect(swept.reduce((sum, { abandoned }) => sum + abandoned, 0)).toBe(300);
  expect(await countRecords(db, 'old')).toBe(0);
  expect(await countRecords(db, 'live')).toBe(500);
});

test('a sweeper killed (-9) in the middle of a batch leaves that batch whole, and the next sweep takes it', async () => {
  await using database = await freshDatabase();
  const { db, records } = await withRecords(database);
  await insertAged(db, { count: 200, prefix: 'old' });
  await db.query(`CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF current_setting('application_name') <> 'prompt' THEN PERFORM pg_sleep(2); END IF; RETURN OLD; END $$`);
  // In the third batch.
  await db.query(`CREATE TRIGGER linger BEFORE DELETE ON idempotency_records FOR EACH ROW WHEN (OLD.key = 'old60')
    EXECUTE FUNCTION linger()`);
  await using victim = await spawnSweeper(database);
  victim.tell('sweep');
  const lingering = async () =>
    (
      await db.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
      )
    ).rows.length > 0;
  await until(lingering, { withinMs: 30_000, what: 'the victim is in the middle of a batch' });
  await victim.kill();
  expect(await countRecords(db)).toBe(150);

  // While the dead one's backend still holds its batch, others pass over it.
  const prompt = postgresRecords(
    database.pool({ max: 1, application_name: 'prompt' }),
  ) as RecordStore<unknown>;
  let passed = 0;
  const pass = async (): Promise<number> => {
    const { count } = await prompt.deleteExpired(500);
    passed += count;
    return passed;
  };
  await pass();
  await until(async () => !(await lingering()), { withinMs: 30_000, what: 'its backend noticed' });
  await until(async () => (await pass()) === 150, {
    ...{ withinMs: 30_000, what: 'the batch of the killed one is swept as well' },
  });
  expect(await countRecords(db)).toBe(0);
  await records.close();
});

const levels = ['read committed', 'repeatable read', 'serializable'] as const;

/** Two sweepers and somebody who makes expired records anew, until nothing is left that has expired. */
async function contend(database: FreshDatabase, open: () => RecordStore<unknown>) {
  // Above that, it is the newer one who would be failed by a delete that came first, and rightly.
  const options = '-c default_transaction_isolation=read\\ committed';
  const db = database.pool({ max: 1, options });
  const stores = [open(), open()];
  await stores[0]?.migrate();
  await insertAged(db, { count: 600, prefix: 'old' });
  const renewed: string[] = [];
  let deleted = 0;
  let sweeping = stores.length;
  await Promise.all([
    ...stores.map(async (records) => {
      for (let from: number | undefined, count = 1; count > 0; deleted += count)
        ({ count, upTo: from } = await records.deleteExpired(7, from));
      sweeping--;
    }),
    (async () => {
      for (let n = 600; n > 0 && sweeping > 0; n -= 7) {
        const { rows } = await db.query(
          `UPDATE idempotency_records SET response_body = '"newer"', expires_at = now() + interval '1 hour'
           WHERE key = $1 RETURNING key`,
          [`old${n}`],
        );
        renewed.push(...rows.map(({ key }) => key));
      }
    })(),
  ]);
  for (const records of stores) deleted += (await records.deleteExpired(500)).count;
  const { rows } = await db.query(`SELECT key FROM idempotency_records WHERE response_body = '"newer"'`);
  return { renewed, deleted, left: await countRecords(db), newer: rows.map(({ key }) => key as string) };
}

test.each(levels)(
  'where transactions are %s by default, sweepers fail neither each other nor anyone, and keep what a newer one changed',
  async (level) => {
    await using database = await freshDatabase();
    const pool = database.pool({ max: 1 });
    await pool.query(`ALTER DATABASE ${database.name} SET default_transaction_isolation = '${level}'`);
    const { renewed, deleted, left, newer } = await contend(database, () =>
      postgresRecords(database.pool({ max: 2 })),
    );
    expect(renewed.length).toBeGreaterThan(0);
    expect(newer.sort()).toEqual(renewed.sort());
    expect(left).toBe(renewed.length);
    expect(deleted).toBe(600 - renewed.length);
  },
);

test('the same where an ORM’s transactions begin with a statement of their own, so that it is too late to choose', async () => {
  await using database = await freshDatabase();
  await database
    .pool({ max: 1 })
    .query(`ALTER DATABASE ${database.name} SET default_transaction_isolation = 'repeatable read'`);
  const { renewed, deleted, left } = await contend(database, () =>
    recordsIn(orm(database.pool({ max: 2 }), 'BEGIN; SELECT 1')),
  );
  expect(left).toBe(renewed.length);
  expect(deleted).toBe(600 - renewed.length);
});
