import type { QueryConfig, QueryResult } from 'pg';
import { within } from '../../timing/within.js';
import { CommitUnknownError } from '../commit-unknown-error.js';
import { isServerVerdict } from '../sql-state.js';
import type { PgConnection } from './pg-connection.js';

/**
 * Sends the last statement and COMMIT, together where the pool pipelines. Returns when both are known to have happened.
 *
 * A COMMIT after a failed statement answers with the tag ROLLBACK and no error, so the tag is read, not assumed.
 *
 * @throws CommitUnknownError when COMMIT may have been sent and no answer to it came; anything else that is thrown means
 * that nothing was committed.
 */
export async function commit(
  connection: PgConnection,
  last: QueryConfig | undefined,
  timeoutMs: number,
): Promise<void> {
  const inserted = last && connection.send(last);
  // Until this is over COMMIT is not on the wire, so whatever becomes of the statement, it has not happened.
  if (inserted)
    await (connection.pipelined ? onTheWire(inserted) : within(inserted, timeoutMs, 'settling the record'));
  const committed = connection.send('COMMIT');
  let tag: string;
  try {
    const both = Promise.all([inserted, committed]) as Promise<[unknown, QueryResult]>;
    [, { command: tag }] = await within(both, timeoutMs, 'COMMIT');
  } catch (error) {
    if (!isServerVerdict(error)) {
      connection.condemn(error);
      throw new CommitUnknownError(error);
    }
    await within(committed, timeoutMs, 'the end of a failed transaction').catch(connection.condemn);
    throw error;
  }
  if (tag !== 'COMMIT')
    throw new Error(
      `the transaction had failed before COMMIT, which answered ${tag}: a handler caught a database error and went on`,
    );
}

/**
 * pg itself refuses some statements, a moment later and without sending them: one prepared under a name that this
 * connection knows for another text, say by another version of this library on the same pool. A COMMIT sent in that
 * moment would commit the handler's writes alone.
 */
async function onTheWire(sent: Promise<unknown>): Promise<void> {
  await Promise.race([sent, new Promise((resolve) => setImmediate(resolve))]);
}
