import {
  CommitUnknownError,
  type Database,
  type PgTransaction,
  pgDatabase,
  postgresRecords,
  type RecordStore,
  recordsIn,
  type Statement,
} from '@trpc-once/server';
import type { Pool } from 'pg';
import type { Sabotage } from '../sabotage.js';

/** The records that everybody uses, or broken ones. */
export function soakRecords(pool: Pool, sabotage: Sabotage | undefined): RecordStore<PgTransaction> {
  if (sabotage === 'no-fence') return recordsIn(unfenced(pgDatabase(pool)));
  const records = postgresRecords(pool);
  return sabotage === 'guess' ? guessing(records) : records;
}

function unfenced(database: Database<PgTransaction>): Database<PgTransaction> {
  const broken = (statement: Statement): Statement => {
    const { name, text } = statement;
    if (name.startsWith('once_hold'))
      return {
        ...statement,
        name: '',
        text: `SELECT true AS held, standby, began, relation FROM (${text}) h`,
      };
    if (name.startsWith('once_find'))
      return { ...statement, name: '', text: `SELECT * FROM (${text}) f WHERE false` };
    if (name.startsWith('once_insert'))
      return { ...statement, name: '', text: `${text} ON CONFLICT DO NOTHING` };
    return statement;
  };
  return {
    ...database,
    transaction: (work) =>
      database.transaction((session) =>
        work({
          ...session,
          query: (statement) => session.query(broken(statement)),
          last: (statement) => session.last(broken(statement)),
        }),
      ),
  };
}

function guessing(records: RecordStore<PgTransaction>): RecordStore<PgTransaction> {
  return {
    ...records,
    async transact(draft, work) {
      try {
        return await records.transact(draft, work);
      } catch (error) {
        if (!(error instanceof CommitUnknownError)) throw error;
        throw Object.assign(new Error('surely rolled back'), { code: 'ECONNRESET' });
      }
    },
  };
}
