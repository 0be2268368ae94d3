import type { Pool } from 'pg';
import { requireKnown } from '../options/require-known.js';
import {
  type PgDatabaseOptions,
  type PgTransaction,
  pgDatabase,
  pgDatabaseOptions,
} from './databases/pg-database.js';
import type { PGliteConnection, PGliteTransaction } from './databases/pglite.js';
import { pgliteDatabase } from './databases/pglite-database.js';
import { type RecordsOptions, recordsIn, recordsOptions } from './postgres-records.js';
import type { RecordStore } from './record-store.js';

/**
 * Records in the database of a pg pool. Handlers get pg's `query` as `tx`. The pool stays yours; give it
 * `connectionTimeoutMillis`, or a connection that goes silent while it is made takes up its place for good.
 *
 * @throws TypeError when it is no pool, or an option is unknown.
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
  requireKnown('postgresRecords', options, { ...recordsOptions, ...pgDatabaseOptions });
  const { schema, ...ofDatabase } = options;
  return recordsIn(pgDatabase(pool, ofDatabase), schema === undefined ? {} : { schema });
}

/**
 * Records in a PGlite: a real Postgres inside one process, for development and tests. The PGlite stays yours.
 *
 * @throws TypeError when it is no PGlite, or an option is unknown.
 */
export function pgliteRecords(
  db: PGliteConnection,
  options: RecordsOptions = {},
): RecordStore<PGliteTransaction> {
  if (typeof db?.transaction !== 'function') throw new TypeError('pgliteRecords(db) needs a PGlite');
  requireKnown('pgliteRecords', options, recordsOptions);
  return recordsIn(pgliteDatabase(db), options);
}
