import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database } from '../database.js';
import { RunTimeoutError } from '../run-timeout-error.js';
import type { Row } from '../statement.js';
import { TransactionMisuseError } from '../transaction-misuse-error.js';
import { executorDatabase } from './executor-database.js';
import type { PGliteConnection, PGliteTransaction } from './pglite.js';
import { refused, transactionGuard } from './transaction-guard.js';

/**
 * How long a transaction waits for its turn, in milliseconds. There is one connection, so that this is longer than
 * elsewhere: a burst of calls stands in one line.
 */
const TURN_MS = 30_000;

/**
 * Transactions from a PGlite, one at a time: it is one connection in this process. A handler must use `tx` and nothing
 * else of the database, or it waits for itself; another idempotent call from inside it is refused for that reason. The
 * PGlite stays yours.
 */
export function pgliteDatabase(db: PGliteConnection): Database<PGliteTransaction> {
  /** The transaction that the code which runs now is inside of. */
  const inside = new AsyncLocalStorage<{ open: boolean }>();
  const mustBeOutside = (): void => {
    if (inside.getStore()?.open)
      throw new TransactionMisuseError(
        'an idempotent procedure was called inside the handler of another, and a PGlite has one connection, so it would wait for itself: share a function that takes tx, or call it after the handler has returned',
      );
  };
  const database = executorDatabase<PGliteTransaction>({
    transaction: (work) =>
      db.transaction(async (transaction) => {
        const guard = transactionGuard();
        const own = { open: true };
        const tx: PGliteTransaction = {
          query: (text, ...rest) => {
            const refusal = guard.refusal(text);
            return refusal ? refused(refusal) : guard.watch(transaction.query(text, ...rest));
          },
        };
        let why: Error | undefined;
        try {
          return await inside.run(own, () =>
            work(tx, async (text, values) => {
              const sent = transaction.query<Row>(text, values);
              return (await sent.catch((error) => withCause(error, guard.firstError()))).rows;
            }),
          );
        } catch (error) {
          if (error instanceof RunTimeoutError) why = error;
          throw error;
        } finally {
          own.open = false;
          guard.end(why);
        }
      }),
    execute: async (text, values) => (await db.query<Row>(text, values)).rows,
    connectTimeoutMs: TURN_MS,
    txEndsWithTransaction: true,
  });
  return {
    ...database,
    async transaction(work) {
      mustBeOutside();
      return database.transaction(work);
    },
    async query(statement) {
      mustBeOutside();
      return database.query(statement);
    },
  };
}

/** Ours fails because one of the handler's failed before; whoever reads the log wants to see that one. */
function withCause(error: Error, earlier: unknown): never {
  error.cause ??= earlier;
  throw error;
}
