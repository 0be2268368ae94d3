import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import { within } from '../../timing/within.js';

/** One connection of a pool, for as long as one piece of work needs it. */
export interface PgConnection {
  readonly client: PoolClient;
  /**
   * Sends a statement after those before it: without waiting for them where the pool pipelines, else one by one, since
   * pg gives up queueing them itself.
   */
  send(statement: QueryConfig | string): Promise<QueryResult>;
  /** Whether statements leave before the ones in front of them were answered. */
  readonly pipelined: boolean;
  /** Calls the connection broken: it will be closed and not lent again. */
  condemn(error: unknown): void;
  release(): void;
}

/** @throws NoAnswerError when no connection is to be had in time; one that comes later goes back to the pool. */
export async function borrow(pool: Pool, timeoutMs: number): Promise<PgConnection> {
  const pending = pool.connect();
  let client: PoolClient;
  try {
    client = await within(pending, timeoutMs, 'getting a connection to Postgres');
  } catch (error) {
    pending.then((late) => late.release()).catch(() => {});
    throw error;
  }
  let broken: Error | undefined;
  const condemn = (error: unknown): void => {
    broken ??= error instanceof Error ? error : new Error(String(error));
  };
  // A client that is lent reports a dead connection as an event, which nobody else listens to.
  client.on('error', condemn);

  const pipelined = (client as { pipeline?: unknown }).pipeline === true;
  let before: Promise<unknown> = Promise.resolve();
  const send = (statement: QueryConfig | string): Promise<QueryResult> => {
    const query = (): Promise<QueryResult> => client.query(statement as QueryConfig);
    const sent = pipelined ? query() : before.then(query, query);
    sent.catch(() => {});
    before = sent;
    return sent;
  };
  return {
    client,
    send,
    pipelined,
    condemn,
    release() {
      client.off('error', condemn);
      client.release(broken);
    },
  };
}
