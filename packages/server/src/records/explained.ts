import { serverError, sqlFault } from './sql-state.js';

/** What an operator can do about it, where the error itself does not say. */
export function explained(error: unknown): unknown {
  const what = advice(error);
  return what === undefined ? error : new Error(what, { cause: error });
}

function advice(error: unknown): string | undefined {
  if (sqlFault(error) === 'not-migrated')
    return 'the table idempotency_records is not there, or not as this version needs it: run `await once.migrate()` before serving, on the same database and search path';
  // insufficient_privilege
  if (serverError(error)?.state === '42501')
    return 'the database user may not use the table idempotency_records: grant it SELECT, INSERT, UPDATE and DELETE on it';
  return undefined;
}
