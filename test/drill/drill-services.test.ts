import type { Pool } from 'pg';
import { expect, test, vi } from 'vitest';
import { freshDatabase, freshRedis, until } from '../resources/index.js';
import { startDrill } from './start-drill.js';

// A drill takes 5 to 10 s on two idle cores; a busy machine starts its processes in as many seconds as that.
vi.setConfig({ testTimeout: 180_000 });

const small = ['--orders', '60', '--clients', '3'];

/** The drill keeps to a schema of its own; this is its name, once it is there. */
async function drillSchema(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query(
    `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'trpc_once_drill_%'`,
  );
  return rows[0]?.nspname;
}

test('with services: two servers are killed in turn, every operation takes effect once, and the table says what the database says', async () => {
  await using database = await freshDatabase();
  await using redis = await freshRedis();
  const pool = database.pool({ max: 1 });
  await using drill = startDrill([...small, '--seed', '3'], {
    ...{ DATABASE_URL: database.url, REDIS_URL: redis.url, PORT: '0' },
  });
  await drill.says(/The shop is open at/);
  expect(drill.output()).toContain('the Postgres of DATABASE_URL and the Redis of REDIS_URL');
  expect(Number(drill.figure('servers killed -9'))).toBeGreaterThan(0);
  expect(drill.figure('clients killed -9')).toBe('2');

  const schema = await drillSchema(pool);
  const { rows } = await pool.query(`
    SELECT (SELECT count(*) FROM ${schema}.orders) AS orders,
      (SELECT count(DISTINCT reference) FROM ${schema}.orders) AS references,
      (SELECT count(*) FROM ${schema}.ledger WHERE order_id IS NOT NULL) AS ledger,
      (SELECT count(*) FROM ${schema}.idempotency_records) AS records,
      (SELECT count(*) FROM ${schema}.idempotency_records WHERE status = 'FAILED') AS declined`);
  const figures = ['orders', 'orders', 'ledger rows', 'outcomes recorded', 'declined'];
  expect(Object.values(rows[0])).toEqual(figures.map(drill.figure));
  expect(rows[0]).toMatchObject({ orders: '56', records: '60', declined: '4' });

  drill.interrupt();
  expect(await drill.ended).toBe(0);
  expect(await drillSchema(pool)).toBeUndefined();
});

test('an order that is in the database twice ends the drill with 1, and is named', async () => {
  await using database = await freshDatabase();
  await using redis = await freshRedis();
  const pool = database.pool({ max: 1 });
  await using drill = startDrill(small, { DATABASE_URL: database.url, REDIS_URL: redis.url });
  const schema = await until(() => drillSchema(pool), { withinMs: 60_000, what: 'the drill has a schema' });
  const doubled = await until(
    async () => {
      const { rows: there } = await pool.query(`SELECT to_regclass('${schema}.orders') AS orders`);
      if (!there[0].orders) return undefined;
      const { rows } = await pool.query(`
        INSERT INTO ${schema}.orders (account_id, sku, quantity, total_cents, reference)
        SELECT account_id, sku, quantity, total_cents, reference FROM ${schema}.orders
        WHERE sku LIKE 'tea-%' LIMIT 1 RETURNING reference`);
      return rows[0]?.reference as string | undefined;
    },
    { withinMs: 60_000, what: 'there is an order to double' },
  );
  expect(await drill.ended).toBe(1);
  expect(drill.figure('doubled')).toBe('1');
  expect(drill.output()).toContain(`${doubled} took effect 2 times`);
  expect(drill.output()).not.toContain('The shop is open');
});
