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
            return guard.watch(transaction.query(text, ...rest));
          },
        };
        try {
          return await work(tx, async (text, values) => {
            const sent = transaction.query<Row>(text, values);
            return (await sent.catch((error) => withCause(error, guard.firstError()))).rows;
          });
        } finally {
          guard.end();
        }
      }),
    execute: async (text, values) => (await db.query<Row>(text, values)).rows,
  });
}

/** Ours fails because one of the handler's failed before; whoever reads the log wants to see that one. */
function withCause(error: Error, earlier: unknown): never {
  error.cause ??= earlier;
  throw error;
}
