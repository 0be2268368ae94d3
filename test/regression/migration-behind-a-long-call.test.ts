import { postgresRecords } from '@trpc-once/server';
import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { freshDatabase, until } from '../resources/index.js';

// A long call had the table in hand; the new version's ALTER TABLE waited for it, and every other call behind that, each to
// its own limit and a 503. The migration then failed after answerTimeoutMs, as did any that had an index to build for so long.
test('a new version that starts while a long call is inside keeps no other call waiting for it, and migrates in the end', async () => {
  await using database = await freshDatabase();
  const pool = database.pool({ max: 6 });
  const records = postgresRecords(pool, { answerTimeoutMs: 300 });
  await records.migrate();
  await forgetNewestMigration(pool);

  const longCall = await pool.connect();
  try {
    await longCall.query('BEGIN');
    await longCall.query('SELECT FROM idempotency_records');
    const instances = Promise.all([
      records.migrate(),
      postgresRecords(pool, { answerTimeoutMs: 300 }).migrate(),
    ]);
    instances.catch(() => {});
    await until(() => waitsForTheTable(pool), { what: 'the migration waits for the table' });
    // Others get past, although the long call has not ended.
    await until(async () => !(await waitsForTheTable(pool)), { what: 'the migration gives way' });
    await pool.query('SELECT FROM idempotency_records');
    await until(() => waitsForTheTable(pool), { what: 'the migration comes again' });
    await longCall.query('COMMIT');
    await instances;
    expect(await newestMigration(pool)).toBe(3);
  } finally {
    longCall.release();
  }
});

async function waitsForTheTable(pool: Pool): Promise<boolean> {
  const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'idempotency_records'::regclass`;
  return (await pool.query(waiting)).rowCount !== 0;
}

async function newestMigration(pool: Pool): Promise<number> {
  return (await pool.query('SELECT max(number) AS newest FROM idempotency_migrations')).rows[0].newest;
}

async function forgetNewestMigration(pool: Pool): Promise<void> {
  await pool.query(`ALTER TABLE idempotency_records DROP COLUMN effects_began_at;
    DROP INDEX idempotency_records_expiry, idempotency_records_in_progress;
    DELETE FROM idempotency_migrations WHERE number = 3`);
}
