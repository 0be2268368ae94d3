import type { PGlite, Transaction } from '@electric-sql/pglite';
import type { Database } from '../database.js';
import type { Row } from '../statement.js';
import { executorDatabase } from './executor-database.js';
import { transactionGuard } from './transaction-guard.js';

/** What handlers get as `tx` with PGlite. */
export type PGliteTransaction = Pick<Transaction, 'query'>;

/**
 * Transactions from a PGlite, one at a time: it is one connection in this process. A handler must use `tx` and nothing
 * else of the database, or it waits for itself. The PGlite stays yours.
 */
export function pgliteDatabase(db: PGlite): Database<PGliteTransaction> {
  return executorDatabase<PGliteTransaction>({
    transaction: (work) =>
      db.transaction(async (transaction) => {
        const guard = transactionGuard();
        const tx: PGliteTransaction = {
          query: (text, ...rest) => {
            guard.check(text);
            return transaction.query(text, ...rest);
          },
        };
        try {
          return await work(tx, async (text, values) => (await transaction.query<Row>(text, values)).rows);
        } finally {
          guard.end();
        }
      }),
    execute: async (text, values) => (await db.query<Row>(text, values)).rows,
  });
}
