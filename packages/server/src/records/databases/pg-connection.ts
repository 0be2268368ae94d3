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
  /** Calls the connection broken: it will be closed at once when it is given back, and not lent again. */
  condemn(error: unknown): void;
  /** Rejects when the connection turns out to be dead, also while nobody is waiting for a statement. */
  readonly lost: Promise<never>;
  release(): void;
}

/** @throws NoAnswerError when no connection is to be had in time; one that comes later goes back to the pool. */
export async function borrow(pool: Pool, timeoutMs: number): Promise<PgConnection> {
  let broken: Error | undefined;
  const condemn = (error: unknown): void => {
    broken ??= error instanceof Error ? error : new Error(String(error));
  };
  let tellLost = (_: unknown): void => {};
  const lost = new Promise<never>((_, reject) => {
    tellLost = reject;
  });
  lost.catch(() => {});
  const onError = (error: unknown): void => {
    condemn(error);
    tellLost(error);
  };
  const lent = lend(pool, onError);
  const giveBack = (client: PoolClient): void => {
    client.off('error', onError);
    client.release(broken);
    if (broken) hangUp(client);
  };
  let client: PoolClient;
  try {
    client = await within(lent, timeoutMs, 'getting a connection to Postgres');
  } catch (error) {
    lent.then(giveBack).catch(() => {});
    throw error;
  }

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
    lost,
    release: () => giveBack(client),
  };
}

/**
 * Closes the socket. pg's own goodbye waits for whatever was sent before it, and for Postgres to hang up: on a connection
 * that went dead without a word it keeps a handler's statement unanswered, and whoever waits for the pool waiting.
 */
function hangUp(client: PoolClient): void {
  const { connection } = client as unknown as { connection?: { stream?: { destroy?(): void } } };
  connection?.stream?.destroy?.();
}

/**
 * Takes a client that reports a dead connection to `onError`, from the first moment: Postgres can say goodbye in the very
 * bytes in which it says hello, before any promise's continuation runs, and an `error` event that nobody listens to ends
 * the process.
 */
function lend(pool: Pool, onError: (error: unknown) => void): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (!client) return reject(error);
      client.on('error', onError);
      resolve(client);
    });
  });
}
