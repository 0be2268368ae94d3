import { PGlite } from '@electric-sql/pglite';
import {
  executorDatabase,
  pgliteRecords,
  postgresRecords,
  type RecordStore,
  recordsIn,
} from '@trpc-once/server';
import type { Pool, PoolClient } from 'pg';
import type { Sql } from '../bank/bank-tables.js';
import { freshDatabase } from '../resources/index.js';

/** A record store in a database of its own, and that database as the app and the operator see it. */
export interface OpenRecords extends AsyncDisposable {
  readonly records: RecordStore<Sql>;
  /** Another connection where there is one; PGlite has only the one. */
  readonly db: Sql;
}

/** What the app's own tables are made of here. */
const tables = [
  'CREATE TABLE effects (id int PRIMARY KEY, note text)',
  'CREATE TABLE children (parent int REFERENCES effects DEFERRABLE INITIALLY DEFERRED)',
  'CREATE TABLE idempotency_records_log (n int, CONSTRAINT idempotency_records_log_n_key UNIQUE (n) DEFERRABLE INITIALLY DEFERRED)',
];

async function prepared(records: RecordStore<Sql>, db: Sql): Promise<void> {
  await records.migrate();
  for (const table of tables) await db.query(table);
}

/** pg's pool, which can send statements without waiting for the ones before; on the run's own server, or on another. */
export async function openPostgres(
  pipeline: boolean,
  serverUrl?: string,
): Promise<OpenRecords & { readonly pool: Pool }> {
  const database = await freshDatabase(serverUrl);
  const pool = database.pool({ max: 5, pipeline } as object);
  const records = postgresRecords(pool) as RecordStore<Sql>;
  const db = database.pool({ max: 2 }) as Sql;
  await prepared(records, db);
  return { records, db, pool, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

/** Wraps what the driver throws, as ORMs do. */
class OrmError extends Error {
  override readonly name = 'OrmError';
}

/** An ORM of the plainest kind, over pg: its own transactions, its own `tx`, its own errors. */
export function orm(pool: Pool, begin = 'BEGIN', begun?: () => Promise<void>) {
  const wrapped = async <T>(sent: Promise<T>): Promise<T> =>
    sent.catch((cause: unknown) => {
      throw new OrmError('failed query', { cause });
    });
  const run = (client: Pool | PoolClient) => async (text: string, values?: unknown[]) =>
    (await wrapped(client.query(text, values))).rows;
  return executorDatabase<Sql>({
    async transaction(work) {
      const client = await pool.connect();
      let broken: boolean | Error = false;
      try {
        await wrapped(client.query(begin));
        await begun?.();
        const tx: Sql = { query: async (text, values) => ({ rows: await run(client)(text, values) }) };
        const value = await work(tx, run(client));
        await wrapped(client.query('COMMIT'));
        return value;
      } catch (error) {
        await client.query('ROLLBACK').catch((failed: Error) => {
          broken = failed;
        });
        throw error;
      } finally {
        client.release(broken);
      }
    },
    execute: run(pool),
  });
}

export async function openOrm(): Promise<OpenRecords & { readonly pool: Pool }> {
  const database = await freshDatabase();
  const pool = database.pool({ max: 5 });
  const records = recordsIn(orm(pool));
  const db = database.pool({ max: 2 }) as Sql;
  await prepared(records, db);
  return { records, db, pool, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

/** One start of PGlite serves all of a file: it takes a second. */
let pglite: PGlite | undefined;

export async function openPGlite(): Promise<OpenRecords> {
  pglite ??= await PGlite.create();
  const db = pglite;
  const records = pgliteRecords(db) as RecordStore<Sql>;
  await prepared(records, db as Sql);
  return {
    records,
    db: db as Sql,
    async [Symbol.asyncDispose]() {
      await db.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    },
  };
}
