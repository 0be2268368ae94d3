import type { Pool, PoolClient, QueryResult } from 'pg';
import { CommitUnknownError } from '../commit-unknown-error.js';
import type { Database, Session } from '../database.js';
import { isServerVerdict, sqlFault } from '../sql-state.js';
import type { Row, Statement } from '../statement.js';
import { type TransactionGuard, transactionGuard } from './transaction-guard.js';
import { within } from './within.js';

/** What handlers get as `tx` with pg: its `query`, inside the transaction that the outcome settles in. */
export type PgTransaction = Pick<PoolClient, 'query'>;

export interface PgDatabaseOptions {
  /**
   * How long to wait for a connection, in milliseconds; then the call is refused with 503 and may come again.
   * @default 5_000
   */
  readonly connectTimeoutMs?: number;
  /**
   * How long Postgres may take over a statement of ours (begin, look-up, commit), in milliseconds. The handler's own
   * statements are not limited.
   * @default 10_000
   */
  readonly answerTimeoutMs?: number;
}

/**
 * Transactions from a pg pool. The pool stays yours. With `new Pool({ pipeline: true })` begin and look-up leave as one
 * write, and so do the record and COMMIT: six round trips become four.
 */
export function pgDatabase(pool: Pool, options: PgDatabaseOptions = {}): Database<PgTransaction> {
  const { connectTimeoutMs = 5_000, answerTimeoutMs = 10_000 } = options;
  /** Off for good once a pooler between us and Postgres turns out to lose prepared statements. */
  let prepared = true;

  const toConfig = ({ name, text, values }: Statement) => ({
    ...(prepared && { name }),
    text,
    values: values as unknown[],
  });
  const noteUnprepared = (error: unknown): void => {
    if (sqlFault(error) === 'unprepared') prepared = false;
  };

  async function connect(): Promise<PoolClient> {
    const pending = pool.connect();
    try {
      return await within(pending, connectTimeoutMs, 'getting a connection to Postgres');
    } catch (error) {
      pending.then((client) => client.release()).catch(() => {});
      throw error;
    }
  }

  return {
    async transaction(work) {
      const client = await connect();
      const guard = transactionGuard();
      const lost = watchConnection(client);
      try {
        const begun = guard.watch(client.query('BEGIN'));
        let last: Statement | undefined;
        const session: Session<PgTransaction> = {
          tx: guardedTransaction(client, guard),
          async query(statement) {
            const sent = guard.watch(client.query(toConfig(statement)));
            // Without BEGIN's word for it, every statement would be a transaction of its own.
            const [, { rows }] = await within(
              Promise.all([begun, sent]),
              answerTimeoutMs,
              'a statement about the record',
            );
            return rows as Row[];
          },
          last(statement) {
            last = statement;
          },
          firstError: guard.firstError,
        };
        let value: Awaited<ReturnType<typeof work>>;
        try {
          value = await work(session);
        } catch (error) {
          guard.end();
          noteUnprepared(error);
          await within(client.query('ROLLBACK'), answerTimeoutMs, 'ROLLBACK').catch(lost.note);
          throw error;
        }
        guard.end();
        await commit(client, last && toConfig(last), answerTimeoutMs, lost.note).catch((error) => {
          noteUnprepared(error);
          throw error;
        });
        return value;
      } finally {
        lost.release();
      }
    },
    async query(statement) {
      const client = await connect();
      const lost = watchConnection(client);
      try {
        const sent = client.query(toConfig(statement));
        return (await within(sent, answerTimeoutMs, 'a statement about the record')).rows as Row[];
      } catch (error) {
        noteUnprepared(error);
        if (!isServerVerdict(error)) lost.note(error);
        throw error;
      } finally {
        lost.release();
      }
    },
    async close() {},
  };
}

/**
 * Sends the last statement and COMMIT. Returns when both are known to have happened.
 *
 * A COMMIT after a failed statement answers with the tag ROLLBACK and no error, so the tag is read, not assumed.
 * @throws CommitUnknownError when no answer came; otherwise the server's own error, and then nothing was committed.
 */
async function commit(
  client: PoolClient,
  last: { text: string } | undefined,
  answerTimeoutMs: number,
  note: (error: unknown) => void,
): Promise<void> {
  const inserted = last && client.query(last);
  inserted?.catch(() => {});
  const committed = client.query('COMMIT');
  committed.catch(() => {});
  let tag: string;
  try {
    [, { command: tag }] = await within<[unknown, QueryResult]>(
      Promise.all([inserted, committed]),
      answerTimeoutMs,
      'COMMIT',
    );
  } catch (error) {
    if (!isServerVerdict(error)) {
      note(error);
      throw new CommitUnknownError(error);
    }
    await within(committed, answerTimeoutMs, 'the end of a failed transaction').catch(note);
    throw error;
  }
  if (tag !== 'COMMIT')
    throw new Error(
      `the transaction had failed before COMMIT, which answered ${tag}: a handler caught a database error and went on`,
    );
}

/** A client that is checked out reports a dead connection as an event, which nobody else listens to. */
function watchConnection(client: PoolClient): { note(error: unknown): void; release(): void } {
  let dead: Error | undefined;
  const note = (error: unknown): void => {
    dead ??= error instanceof Error ? error : new Error(String(error));
  };
  client.on('error', note);
  return {
    note,
    release() {
      client.off('error', note);
      client.release(dead);
    },
  };
}

function guardedTransaction(client: PoolClient, guard: TransactionGuard): PgTransaction {
  const query = (...args: unknown[]): unknown => {
    const [first] = args;
    guard.check(typeof first === 'object' && first !== null ? (first as { text?: unknown }).text : first);
    return guard.watch((client.query as (...args: unknown[]) => unknown)(...args));
  };
  return { query: query as PoolClient['query'] };
}
