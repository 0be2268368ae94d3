import type { PGlite } from '@electric-sql/pglite';
import type { Pool } from 'pg';
import { type PgDatabaseOptions, type PgTransaction, pgDatabase } from './databases/pg-database.js';
import { type PGliteTransaction, pgliteDatabase } from './databases/pglite-database.js';
import { type RecordsOptions, recordsIn } from './postgres-records.js';
import type { RecordStore } from './record-store.js';

/**
 * Records in the database of a pg pool. Handlers get pg's `query` as `tx`. The pool stays yours; give it
 * `connectionTimeoutMillis`, or a connection that goes silent while it is made takes up its place for good.
 *
 * @throws TypeError when it is no pool.
 * @example
 * ```ts
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL, pipeline: true, connectionTimeoutMillis: 5_000 });
 * createOnce({ records: postgresRecords(pool), ... });
 * ```
 */
export function postgresRecords(
  pool: Pool,
  options: RecordsOptions & PgDatabaseOptions = {},
): RecordStore<PgTransaction> {
  if (typeof pool?.connect !== 'function')
    throw new TypeError('postgresRecords(pool) needs a pg Pool: new Pool({ connectionString })');
  return recordsIn(pgDatabase(pool, options), options);
}

/** Records in a PGlite: a real Postgres inside one process, for development and tests. The PGlite stays yours. */
export function pgliteRecords(db: PGlite, options: RecordsOptions = {}): RecordStore<PGliteTransaction> {
  if (typeof db?.transaction !== 'function') throw new TypeError('pgliteRecords(db) needs a PGlite');
  return recordsIn(pgliteDatabase(db), options);
}
