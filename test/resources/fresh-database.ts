import { randomBytes } from 'node:crypto';
import { Pool, type PoolConfig } from 'pg';
import { inject } from 'vitest';
import { asAdmin, urlOf } from './admin.js';
import { awaitReturnedClients, awaitVacated } from './leaked-connections.js';
import './provided.js';

/** A database of one's own. Disposing of it fails when a connection to it was leaked. */
export interface FreshDatabase extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  /** A pool on it, ended with it. What it lent must have come back by then. */
  pool(config?: PoolConfig): Pool;
}

/**
 * Makes an empty database for one test, or one test file, in about 50 ms; on the run's own server, or on another one.
 *
 * Dispose of what uses it first: `await using` does so, in reverse order.
 *
 * @example
 * ```ts
 * await using database = await freshDatabase();
 * const pool = database.pool({ max: 5 });
 * ```
 */
export async function freshDatabase(serverUrl: string = inject('postgresUrl')): Promise<FreshDatabase> {
  const name = `once_test_${randomBytes(6).toString('hex')}`;
  // Copied from the server's own template: nothing in it, so that the code under test migrates what it needs.
  await asAdmin(serverUrl, (admin) => admin.query(`create database ${name}`));
  const url = urlOf(serverUrl, name);
  const pools: Pool[] = [];
  return {
    name,
    url,
    pool(config) {
      const pool = new Pool({ connectionString: url, ...config });
      // A test may cut connections. A lent client's end is told by its query; an idle one's is nobody's failure.
      pool.on('error', () => {});
      pool.on('connect', (client) => client.on('error', () => {}));
      pools.push(pool);
      return pool;
    },
    async [Symbol.asyncDispose]() {
      try {
        for (const pool of pools) await awaitReturnedClients(pool);
        for (const pool of pools) if (!pool.ended) await pool.end();
        await asAdmin(serverUrl, (admin) => awaitVacated(admin, name));
      } finally {
        await asAdmin(serverUrl, (admin) => admin.query(`drop database ${name} with (force)`));
      }
    },
  };
}
