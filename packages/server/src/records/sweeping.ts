import { delay } from '../timing/delay.js';
import type { Database } from './database.js';
import type { AbandonedRecord, RecordStore } from './record-store.js';
import { sweepStatements } from './sql/sweep-statements.js';
import { serverError, sqlFault } from './sql-state.js';
import type { Row, Statement } from './statement.js';

/** As long as nothing is wrong but that others were in the way. */
const MAX_RUNS = 5;

/** The part of a record store that sweepers use. */
export function sweeping(
  database: Database<unknown>,
  table: string,
): Pick<RecordStore<unknown>, 'deleteExpired' | 'markAbandoned'> {
  const sql = sweepStatements(table);
  let settable = true;

  /**
   * A transaction of its own, READ COMMITTED whatever the database's default is: above that two sweepers would fail each
   * other instead of passing, and under SERIALIZABLE the sweeper's reads would fail calls.
   */
  async function sweep(statement: Statement): Promise<Row[]> {
    for (let run = 1; ; run++)
      try {
        if (!settable) return await database.query(statement);
        return await database.transaction(async (session) => {
          await session.query(sql.readCommitted);
          return session.query(statement);
        });
      } catch (error) {
        // 25001: this database's transactions begin with a statement of their own, so it is too late.
        if (settable && serverError(error)?.state === '25001') settable = false;
        else if (run >= MAX_RUNS || !mayRunAgain(error)) throw error;
        await delay(Math.random() * 20 * run);
      }
  }

  return {
    async deleteExpired(limit, from) {
      const [row] = await sweep(sql.deleteExpired(limit, from));
      const count = Number(row?.['count']);
      return { count, upTo: count > 0 ? Number(row?.['up_to']) : from };
    },
    async markAbandoned(limit, afterMs) {
      const rows = await sweep(sql.markAbandoned(limit, afterMs));
      return rows.map(
        (row): AbandonedRecord => ({
          procedure: String(row['procedure']),
          key: String(row['key']),
          status: row['status'] as AbandonedRecord['status'],
        }),
      );
    },
  };
}

/** It lost against another, or a pooler moved the session from under its statements: nothing was changed. */
function mayRunAgain(error: unknown): boolean {
  const fault = sqlFault(error);
  return fault === 'serialization' || fault === 'unprepared';
}
