/** What an error says about the statement that met it. Codes: PostgreSQL, appendix A. */
export type SqlFault =
  /** 40001, 40P01: the transaction lost against others; the same one may well succeed now. */
  | 'serialization'
  /** 26000, 42P05: a pooler moved the session, so statements prepared by name are not where they were. */
  | 'unprepared'
  /** 23505: a row with this key is there. */
  | 'unique'
  /** 42P01, 3F000: the table is not there. */
  | 'not-migrated'
  /** The connection is gone, or the server cannot take work: nothing about the statement itself. */
  | 'unavailable'
  | 'other';

const byState: Readonly<Record<string, SqlFault>> = {
  '40001': 'serialization',
  '40P01': 'serialization',
  '26000': 'unprepared',
  '42P05': 'unprepared',
  '23505': 'unique',
  '42P01': 'not-migrated',
  '3F000': 'not-migrated',
  '25006': 'unavailable', // read only: a standby, or a primary just demoted
  '25P03': 'unavailable', // idle_in_transaction_session_timeout ended the session
};

/** 08 connection, 53 out of resources, 57P shutting down, 58 system error. */
const unavailableClasses = /^(?:08|53|57P|58)/;

/** Node's and pg's own errors of a connection, which carry no SQLSTATE. */
const connectionFault =
  /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)|Connection terminated|connection is closed|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after|Query read timeout|not queryable/;

/** Follows `cause`, because ORMs and tRPC wrap what the driver threw. */
export function sqlFault(error: unknown): SqlFault {
  for (let depth = 0, at = error; depth < 5 && typeof at === 'object' && at !== null; depth++) {
    const { code, message, cause } = at as { code?: unknown; message?: unknown; cause?: unknown };
    const state = typeof code === 'string' ? code : '';
    const fault = byState[state];
    if (fault) return fault;
    if (isSqlState(state)) return unavailableClasses.test(state) ? 'unavailable' : 'other';
    if (connectionFault.test(state) || connectionFault.test(String(message))) return 'unavailable';
    at = cause;
  }
  return 'other';
}

/**
 * Whether the server itself said that the statement failed and went on living. Only that proves that a COMMIT did not
 * happen; FATAL and a silent end of the connection do not.
 */
export function isServerVerdict(error: unknown): boolean {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && isSqlState(code) && severity === 'ERROR';
}

function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);
}
