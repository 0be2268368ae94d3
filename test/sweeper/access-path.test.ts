import { postgresRecords } from '@trpc-once/server';
import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { freshDatabase } from '../resources/index.js';
import { insertAged } from './aged-records.js';

/** What the database has read of the records so far, as the one connection of this pool has seen it. */
async function readSoFar(pool: Pool) {
  await pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pool.query(
    `SELECT seq_scan::int AS scans, (heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::int AS pages
     FROM pg_stat_user_tables JOIN pg_statio_user_tables USING (relid)
     WHERE relid = 'idempotency_records'::regclass`,
  );
  return rows[0] as { scans: number; pages: number };
}

test('a sweep reads the records that it deletes or marks, and hardly a page where there is nothing to do, however large the table', async () => {
  await using database = await freshDatabase();
  const pool = database.pool({ max: 1 });
  const records = postgresRecords(pool);
  await records.migrate();
  await insertAged(pool, { count: 30_000, prefix: 'live', expiresAt: `now() + interval '1 hour'` });
  await insertAged(pool, { count: 2_000, prefix: 'old' });
  // Neither is in the way of the other's index.
  await insertAged(pool, { count: 1_000, prefix: 'unknown', status: 'INDETERMINATE' });
  await pool.query('VACUUM (ANALYZE) idempotency_records');
  const table = Number(
    (await pool.query(`SELECT pg_relation_size('idempotency_records') / 8192 AS pages`)).rows[0].pages,
  );
  expect(table).toBeGreaterThan(400);

  const before = await readSoFar(pool);
  let from: number | undefined;
  // More often than Postgres needs to settle for one plan for all parameters.
  for (let batch = 0; batch < 10; batch++) {
    const { count, upTo } = await records.deleteExpired(100, from);
    expect(count).toBe(100);
    from = upTo;
  }
  expect((await readSoFar(pool)).scans).toBe(before.scans);

  while ((await records.deleteExpired(100, from)).count > 0);
  for (let look = 0; look < 8; look++) await records.markAbandoned(100, 900_000);
  await pool.query('VACUUM idempotency_records');
  const idle = await readSoFar(pool);
  for (let look = 0; look < 10; look++) {
    expect((await records.deleteExpired(100)).count).toBe(0);
    expect(await records.markAbandoned(100, 900_000)).toEqual([]);
  }
  const { scans, pages } = await readSoFar(pool);
  expect(scans).toBe(before.scans);
  // A look is a descent of two small indexes.
  expect((pages - idle.pages) / 10).toBeLessThan(20);
});

test('batches go on from where the last one ended: what was deleted there is not passed again, while somebody’s snapshot keeps it', async () => {
  await using database = await freshDatabase();
  const pool = database.pool({ max: 1 });
  const records = postgresRecords(pool);
  await records.migrate();
  await insertAged(pool, { count: 6_000, prefix: 'old' });
  await pool.query('VACUUM (ANALYZE) idempotency_records');
  const holder = await database.pool({ max: 1 }).connect();
  try {
    await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await holder.query('SELECT count(*) FROM idempotency_records');
    let from: number | undefined;
    for (let batch = 0; batch < 30; batch++) {
      const { count, upTo } = await records.deleteExpired(200, from);
      expect(count).toBe(200);
      from = upTo;
    }
    const before = await readSoFar(pool);
    expect((await records.deleteExpired(200, from)).count).toBe(0);
    // All 6,000 lie on more than a hundred pages.
    expect((await readSoFar(pool)).pages - before.pages).toBeLessThan(20);
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
});
