import { requireKnown } from '../../options/require-known.js';
import { type Deadline, deadline } from '../../timing/deadline.js';
import { NoAnswerError, within } from '../../timing/within.js';
import { CommitUnknownError } from '../commit-unknown-error.js';
import type { Database, Session } from '../database.js';
import { RunTimeoutError } from '../run-timeout-error.js';
import { isServerVerdict } from '../sql-state.js';
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
  /**
   * How long to wait for a transaction to begin, in milliseconds: a connection and BEGIN. Then the call is refused with
   * 503 and may come again.
   * @default 5_000
   */
  readonly connectTimeoutMs?: number;
  /**
   * How long a statement of ours may take, and how long COMMIT or ROLLBACK, in milliseconds.
   * @default 10_000
   */
  readonly answerTimeoutMs?: number;
  /**
   * Whether `tx` refuses statements once its transaction is over. Where it does not, the session of a handler that ran
   * out of time is ended (`pg_terminate_backend`): what it sends later would be committed by itself, on a connection
   * that serves others by then.
   * @default false
   */
  readonly txEndsWithTransaction?: boolean;
}

const known = {
  transaction: true,
  execute: true,
  close: true,
  connectTimeoutMs: true,
  answerTimeoutMs: true,
  txEndsWithTransaction: true,
} satisfies Record<keyof ExecutorDatabaseOptions<unknown>, true>;

/**
 * Makes a {@link Database} of anything that has transactions and runs SQL.
 *
 * @throws TypeError when it cannot run anything, or an option is unknown.
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
  for (const name of ['transaction', 'execute'] as const)
    if (typeof options?.[name] !== 'function')
      throw new TypeError(`executorDatabase({ transaction, execute }) needs ${name}, a function`);
  requireKnown('executorDatabase', options, known);
  const { connectTimeoutMs = 5_000, answerTimeoutMs = 10_000 } = options;
  const run = (execute: Execute, { text, values, limitMs }: Statement, what: string): Promise<Row[]> =>
    within(execute(text, [...values]), limitMs ?? answerTimeoutMs, what);

  /** The whole of one transaction, once it has begun: gives the value that COMMIT is to confirm. */
  async function inside<T>(
    { tx, execute }: { tx: TTransaction; execute: Execute },
    work: (session: Session<TTransaction>) => Promise<T>,
  ): Promise<T> {
    const guard = transactionGuard();
    let last: Statement | undefined;
    const value = await work({
      tx,
      query: (statement) => guard.watch(run(execute, statement, 'a statement about the record')),
      last: (statement) => {
        last = statement;
      },
      firstError: guard.firstError,
      mayEnd: !options.txEndsWithTransaction,
    }).catch(async (error) => {
      if (error instanceof RunTimeoutError && !options.txEndsWithTransaction)
        await endSession(execute, answerTimeoutMs);
      throw error;
    });
    if (last) await run(execute, last, 'settling the record');
    return value;
  }

  return {
    async transaction(work) {
      const limit = deadline();
      /** How the callback ended; it decides, whatever the ORM makes of it. */
      let end: 'commit' | { readonly error: unknown } | undefined;
      limit.set(connectTimeoutMs, 'beginning a transaction');
      const ended = options.transaction(async (tx, execute) => {
        // Some ORMs run this again by themselves, and one that was given up may still begin.
        end = undefined;
        requireTime(limit);
        limit.clear();
        try {
          const value = await inside({ tx, execute }, work);
          end = 'commit';
          return value;
        } catch (error) {
          end = { error };
          throw error;
        } finally {
          limit.set(answerTimeoutMs, 'ending a transaction');
        }
      });
      ended.catch(() => {});
      try {
        return await Promise.race([ended, limit.passed]);
      } catch (error) {
        if (end === 'commit' && !isServerVerdict(error)) throw new CommitUnknownError(error);
        // It threw, so nobody sends COMMIT, and a rollback that is not confirmed in time is no news.
        if (limit.isOver && typeof end === 'object') throw end.error;
        throw error;
      } finally {
        limit.clear();
      }
    },
    query: (statement) =>
      within(
        options.execute(statement.text, [...statement.values]),
        connectTimeoutMs + answerTimeoutMs,
        'a statement about the record',
      ),
    close: async () => options.close?.(),
  };
}

/** @throws NoAnswerError where whoever asked for this transaction has been answered without it. */
function requireTime(limit: Deadline): void {
  if (limit.isOver) throw new NoAnswerError('the transaction began too late: nobody waits for it any more');
}

/** Stands in line behind the statement that the handler waits for, and before any that it sends later. */
async function endSession(execute: Execute, timeoutMs: number): Promise<void> {
  await within(
    execute('SELECT pg_terminate_backend(pg_backend_pid())', []),
    timeoutMs,
    'ending the session',
  ).catch(() => {});
}
