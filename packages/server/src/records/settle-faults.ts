import type { Session } from './database.js';
import { serverError } from './sql-state.js';
import { TransactionMisuseError } from './transaction-misuse-error.js';

// What the record's insert, or the COMMIT behind it, can fail of besides the connection.

/** The record's own primary key, and no other constraint: one of the app's may be checked as late as at COMMIT. */
export function isFence(error: unknown): boolean {
  const { state, table, constraint } = serverError(error) ?? {};
  return (
    state === '23505' &&
    (table === undefined ? constraint === 'idempotency_records_pkey' : table === 'idempotency_records')
  );
}

/** The insert found itself in another transaction than the one that took the hold. */
export function isElsewhere(error: unknown): boolean {
  const { state, table, column } = serverError(error) ?? {};
  return (
    state === '23502' && (table === undefined || table === 'idempotency_records') && column === 'procedure'
  );
}

export function endedByHandler(cause: unknown): TransactionMisuseError {
  return new TransactionMisuseError(
    'the handler ended the transaction by itself: what it had written by then may be committed, and the outcome did not settle with it. Throw to roll back, return to commit; savepoints are free to use',
    { cause },
  );
}

/** 25P02 says only that something failed before; what that was is worth more to whoever reads the log. */
export function abortedEarlier(session: Session<unknown>, error: unknown): Error | undefined {
  if (serverError(error)?.state !== '25P02') return undefined;
  return new Error(
    'nothing was committed: the handler caught a database error and went on, but the transaction was lost with it; let it throw, or use a savepoint',
    { cause: session.firstError() ?? error },
  );
}
