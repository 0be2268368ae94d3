import { Pool } from 'pg';
import { expect, test } from 'vitest';
import { startPostgres } from '../postgres/start-postgres.js';
import { ensurePgBouncer, findPgBouncer } from './ensure-pgbouncer.js';
import { pgBouncerVersion } from './pgbouncer-version.js';
import { startPgBouncer } from './start-pgbouncer.js';

const binary = findPgBouncer();

test('what is not on PATH is not found, and what is found says its version', () => {
  expect(findPgBouncer('/nowhere:')).toBeUndefined();
  if (binary === undefined) return expect(process.getuid?.()).not.toBe(0);
  expect(ensurePgBouncer({ say: (line) => expect.fail(line) })).toBe(binary);
  expect(pgBouncerVersion(binary)[0]).toBeGreaterThanOrEqual(1);
});

test.skipIf(binary === undefined)(
  `many clients share two connections, and a restart keeps the port${binary ? '' : ' (skipped: no pgbouncer on PATH)'}`,
  async () => {
    await using postgres = await startPostgres();
    await using pgbouncer = await startPgBouncer({
      upstream: postgres.url,
      settings: { default_pool_size: 2 },
    });
    const pool = new Pool({ connectionString: pgbouncer.url, max: 20 });
    pool.on('error', () => {});
    const pidOf = async (): Promise<number> =>
      (await pool.query('SELECT pg_backend_pid() AS pid, pg_sleep(0.01)')).rows[0].pid;
    const pids = new Set(await Promise.all(Array.from({ length: 20 }, pidOf)));
    expect(pids.size).toBeLessThanOrEqual(2);
    const { pid, url } = pgbouncer;
    await pgbouncer.restart();
    expect(pgbouncer.url).toBe(url);
    expect(pgbouncer.pid).not.toBe(pid);
    expect(pids).not.toContain(await pidOf());
    await pool.end();
  },
);
