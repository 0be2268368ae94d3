import { PGlite } from '@electric-sql/pglite';
import type { PGliteTransaction } from '../records/databases/pglite.js';
import { pgliteRecords } from '../records/ready-made.js';
import type { RecordStore } from '../records/record-store.js';

/** Records in a Postgres inside the test's process, with one table for effects. */
export interface EmbeddedRecords {
  readonly records: RecordStore<PGliteTransaction>;
  /** The names of everything that took effect. */
  effects(): Promise<string[]>;
  /** Back to an empty database. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Takes a second or more: once per test file. */
export async function embeddedRecords(): Promise<EmbeddedRecords> {
  const db = await PGlite.create();
  const records = pgliteRecords(db);
  await records.migrate();
  await db.exec('CREATE TABLE effects (n serial, name text)');
  return {
    records,
    async effects() {
      const { rows } = await db.query<{ name: string }>('SELECT name FROM effects ORDER BY n');
      return rows.map(({ name }) => name);
    },
    clear: async () => void (await db.exec('TRUNCATE effects, idempotency_records')),
    close: () => db.close(),
  };
}

/** Leaves an effect to be counted. */
export async function effect(tx: PGliteTransaction, name: string): Promise<void> {
  await tx.query('INSERT INTO effects (name) VALUES ($1)', [name]);
}
