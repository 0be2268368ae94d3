import { CommitUnknownError } from '../commit-unknown-error.js';
import type { Database, Session } from '../database.js';
import { isServerVerdict, sqlFault } from '../sql-state.js';
import type { Row, Statement } from '../statement.js';
import { transactionGuard } from './transaction-guard.js';

/** Runs SQL with `$1` parameters and gives the rows. */
export type Execute = (text: string, values: unknown[]) => Promise<Row[]>;

/** What another driver or an ORM has to offer: its own transactions, and a way to run SQL inside them. */
export interface ExecutorDatabaseOptions<TTransaction> {
  /** Runs `work` in one transaction: commits when it resolves, rolls back and rejects when it throws. */
  transaction<T>(work: (tx: TTransaction, execute: Execute) => Promise<T>): Promise<T>;
  /** Runs one statement outside any transaction. */
  readonly execute: Execute;
  close?(): Promise<void>;
}

/**
 * Makes a {@link Database} of anything that has transactions and runs SQL.
 *
 * @example Drizzle on node-postgres: handlers get Drizzle's own `tx`.
 * ```ts
 * executorDatabase({
 *   transaction: (work) => db.transaction((tx) => work(tx, run(tx))),
 *   execute: run(db),
 * });
 * ```
 */
export function executorDatabase<TTransaction>(
  options: ExecutorDatabaseOptions<TTransaction>,
): Database<TTransaction> {
  const run = (execute: Execute, { text, values }: Statement): Promise<Row[]> => execute(text, [...values]);
  return {
    async transaction(work) {
      let committing = false;
      try {
        return await options.transaction(async (tx, execute) => {
          // Some ORMs run this again by themselves.
          committing = false;
          const guard = transactionGuard();
          let last: Statement | undefined;
          const session: Session<TTransaction> = {
            tx,
            query: (statement) => guard.watch(run(execute, statement)),
            last: (statement) => {
              last = statement;
            },
            firstError: guard.firstError,
          };
          const value = await work(session).catch(async (error) => {
            await mustLive(execute);
            throw error;
          });
          if (last) await run(execute, last);
          committing = true;
          return value;
        });
      } catch (error) {
        if (committing && !isServerVerdict(error)) throw new CommitUnknownError(error);
        throw error;
      }
    },
    query: (statement) => run(options.execute, statement),
    close: async () => options.close?.(),
  };
}

/**
 * A transaction that was lost had let go of the operation: another attempt may have settled it, and the handler's error may
 * not be told. An ORM's rollback does not always say so.
 *
 * @throws the connection's error.
 */
async function mustLive(execute: Execute): Promise<void> {
  try {
    await execute('SELECT 1', []);
  } catch (error) {
    // Anything else comes from a server that has the transaction still, if only to say that it has failed.
    if (sqlFault(error) === 'unavailable') throw error;
  }
}
