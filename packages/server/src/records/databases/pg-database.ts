import type { Pool, PoolClient, QueryConfig } from 'pg';
import { requireKnown } from '../../options/require-known.js';
import { within } from '../../timing/within.js';
import { CommitUnknownError } from '../commit-unknown-error.js';
import type { Database } from '../database.js';
import { RunTimeoutError } from '../run-timeout-error.js';
import { isServerVerdict, sqlFault } from '../sql-state.js';
import type { Row, Statement } from '../statement.js';
import { commit } from './pg-commit.js';
import { borrow, type PgConnection } from './pg-connection.js';
import { refused, type TransactionGuard, transactionGuard } from './transaction-guard.js';

/** What handlers get as `tx` with pg: its `query`, inside the transaction that the outcome settles in. */
export type PgTransaction = Pick<PoolClient, 'query'>;

export interface PgDatabaseOptions {
  /**
   * How long to wait for a connection, in milliseconds; then the call is refused with 503 and may come again.
   * @default 5_000
   */
  readonly connectTimeoutMs?: number;
  /**
   * How long Postgres may take over a statement of ours (begin, look-up, commit), and how long a handler may go on after
   * its connection was lost, in milliseconds. Its own statements are limited by `runTimeoutMs`.
   * @default 10_000
   */
  readonly answerTimeoutMs?: number;
  /**
   * Whether statements of ours are prepared by name, once a connection, which halves what Postgres spends on them. A
   * pooler in transaction mode has to follow that: PgBouncer 1.21 and newer do, with `max_prepared_statements` above 0.
   * Where one does not, the first statement that is not where it was prepared turns this off for good, and the calls
   * that met it run again; `false` spares them that at each start.
   * @default true
   */
  readonly prepared?: boolean;
}

/** Every one of {@link PgDatabaseOptions}. */
export const pgDatabaseOptions = {
  connectTimeoutMs: true,
  answerTimeoutMs: true,
  prepared: true,
} satisfies Record<keyof PgDatabaseOptions, true>;

/**
 * Transactions from a pg pool. The pool stays yours. With `new Pool({ pipeline: true })` begin and look-up leave as one
 * write, and so do the record and COMMIT: six round trips become four.
 *
 * @throws TypeError when an option is unknown.
 */
export function pgDatabase(pool: Pool, options: PgDatabaseOptions = {}): Database<PgTransaction> {
  requireKnown('pgDatabase', options, pgDatabaseOptions);
  const { connectTimeoutMs = 5_000, answerTimeoutMs = 10_000 } = options;
  /** Off for good once a pooler between us and Postgres turns out to lose prepared statements. */
  let { prepared = true } = options;

  const toConfig = ({ name, text, values }: Statement): QueryConfig => ({
    ...(prepared && { name }),
    text,
    values: [...values],
  });

  /** Lends a connection to `use`, and closes it for good where it, and not a statement, was at fault. */
  async function withConnection<T>(use: (connection: PgConnection) => Promise<T>): Promise<T> {
    const connection = await borrow(pool, connectTimeoutMs);
    try {
      return await use(connection);
    } catch (error) {
      const fault = sqlFault(error);
      if (fault === 'unprepared') prepared = false;
      if (fault === 'unavailable' && !isServerVerdict(error)) connection.condemn(error);
      throw error;
    } finally {
      connection.release();
    }
  }

  return {
    transaction: (work) =>
      withConnection(async (connection) => {
        const guard = transactionGuard();
        const begun = guard.watch(connection.send('BEGIN'));
        let last: Statement | undefined;
        try {
          const worked = work({
            tx: guardedTransaction(connection.client, guard),
            async query(statement) {
              const sent = guard.watch(connection.send(toConfig(statement)));
              // Without BEGIN's word for it, every statement would be a transaction of its own.
              const both = Promise.all([begun, sent]);
              return (await within(both, statement.limitMs ?? answerTimeoutMs, 'looking up the record'))[1]
                .rows as Row[];
            },
            last(statement) {
              last = statement;
            },
            firstError: guard.firstError,
          });
          const value = await unlessLost(worked, connection, answerTimeoutMs);
          guard.end();
          await commit(connection, last && toConfig(last), answerTimeoutMs);
          return value;
        } catch (error) {
          guard.end(error instanceof RunTimeoutError ? error : undefined);
          throw await rolledBack(connection, error, answerTimeoutMs);
        }
      }),
    async query(statement) {
      const ask = () =>
        withConnection(async (connection) => {
          const sent = connection.send(toConfig(statement));
          return (await within(sent, answerTimeoutMs, 'a statement about the record')).rows as Row[];
        });
      return ask().catch((error: unknown) => {
        if (sqlFault(error) !== 'unprepared') throw error;
        // It did not run, and leaves without a name now.
        return ask();
      });
    },
    async close() {},
  };
}

/**
 * Waits for a handler, but not for ever once its transaction is gone: it can settle nothing any more, and would keep its
 * key from everybody else. One that is in the middle of a statement hears of it by itself; one that waits for something
 * else (Postgres ends a session that sits idle) is left behind.
 */
function unlessLost<T>(worked: Promise<T>, { lost }: PgConnection, graceMs: number): Promise<T> {
  const leftBehind = lost.catch(async (error: unknown) => {
    await within(worked, graceMs, 'a handler without a transaction').catch(() => {});
    throw error;
  });
  return Promise.race([worked, leftBehind]);
}

/**
 * Rolls back, and gives the error to reject with: `error` once Postgres has confirmed that the transaction was there to
 * be rolled back until now. One that was lost earlier had let go of the operation, another attempt may have settled it,
 * and what this handler made of its reads (`BAD_REQUEST`) may be said no more.
 */
async function rolledBack(connection: PgConnection, error: unknown, timeoutMs: number): Promise<unknown> {
  // Too late for that, and the connection is closed already.
  if (error instanceof CommitUnknownError) return error;
  try {
    // A connection at fault is not asked: it would only keep the caller waiting, and closing it rolls back as well.
    if (sqlFault(error) === 'unavailable') connection.condemn(error);
    else await within(connection.send('ROLLBACK'), timeoutMs, 'ROLLBACK');
    return error;
  } catch (lost) {
    connection.condemn(lost);
    return lost;
  }
}

function guardedTransaction(client: PoolClient, guard: TransactionGuard): PgTransaction {
  const query = (...args: unknown[]): unknown => {
    const [first] = args;
    const isText = typeof first !== 'object' || first === null;
    const refusal = guard.refusal(isText ? first : (first as { text?: unknown }).text);
    if (refusal) return refuse(args, refusal);
    return guard.watch((client.query as (...args: unknown[]) => unknown)(...args));
  };
  return { query: query as PoolClient['query'] };
}

/** Fails a statement in the way in which its sender will hear of it. */
function refuse(args: readonly unknown[], error: Error): unknown {
  const callback = args.at(-1);
  if (typeof callback === 'function') return void process.nextTick(callback, error);
  if (typeof (args[0] as { submit?: unknown } | null)?.submit === 'function') throw error;
  return refused(error);
}
