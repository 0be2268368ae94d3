/** What an error says about the statement that met it. Codes: PostgreSQL, appendix A. */
export type SqlFault =
  /** 40001, 40P01: the transaction lost against others; the same one may well succeed now. */
  | 'serialization'
  /** 26000, 42P05: a pooler moved the session, so statements prepared by name are not where they were. */
  | 'unprepared'
  /** 23505: a row with this key is there. */
  | 'unique'
  /** 42P01, 3F000, 42703: the table is not there, or lacks what a newer version added. */
  | 'not-migrated'
  /** 57014, 55P03: `statement_timeout`, `lock_timeout` or an operator cancelled the statement. */
  | 'time-limit'
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
  '42703': 'not-migrated',
  '57014': 'time-limit',
  '55P03': 'time-limit',
  '25006': 'unavailable', // read only: a standby, or a primary just demoted
  '25P03': 'unavailable', // idle_in_transaction_session_timeout ended the session
  '25P04': 'unavailable', // transaction_timeout did
  '3D000': 'unavailable', // no such database, as while one is being restored
};

/** 08 connection, 28 not let in, 53 out of resources, 57P shutting down, 58 system error. */
const unavailableClasses = /^(?:08|28|53|57P|58)/;

/** Node's and pg's own errors of a connection, which carry no SQLSTATE. */
const connectionFault =
  /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)|Connection terminated|connection is closed|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after|Query read timeout|not queryable/;

/** Follows `cause`, because ORMs and tRPC wrap what the driver threw. */
export function sqlFault(error: unknown): SqlFault {
  for (const { state, connection } of layers(error)) {
    const fault = byState[state];
    if (fault) return fault;
    if (state) return unavailableClasses.test(state) ? 'unavailable' : 'other';
    if (connection) return 'unavailable';
  }
  return 'other';
}

/**
 * SQLSTATEs that no server ends a session with, nor leaves a COMMIT in doubt: for those who say ERROR in another
 * language (`lc_messages`), because the severity that pg hands on is translated.
 */
const harmlessStates = /^(?:0A|2[1-4]|25(?!P0[34])|26|40|4[24]|5[45]|P0)/;

/**
 * Whether the server itself said that the statement failed and went on living. Only that proves that a COMMIT did not
 * happen; FATAL, a silent end of the connection, and 40003 (completion unknown) do not.
 */
export function isServerVerdict(error: unknown): boolean {
  for (const { state, severity, connection } of layers(error)) {
    if (connection || state === '40003') return false;
    if (!state) continue;
    return severity === 'ERROR' || (!/^(?:FATAL|PANIC)$/.test(severity) && harmlessStates.test(state));
  }
  return false;
}

/** The server's own words in an error, however deep they lie in it. */
export function serverError(
  error: unknown,
): Pick<Layer, 'state' | 'table' | 'column' | 'constraint'> | undefined {
  for (const layer of layers(error)) if (layer.state) return layer;
  return undefined;
}

interface Layer {
  /** The SQLSTATE; empty where there is none. */
  readonly state: string;
  readonly severity: string;
  readonly table: unknown;
  readonly column: unknown;
  readonly constraint: unknown;
  /** Node's or the driver's own word that the connection failed. */
  readonly connection: boolean;
}

/** An error and its causes, from the outside in. */
function* layers(error: unknown): Generator<Layer> {
  for (let depth = 0, at = error; depth < 5 && typeof at === 'object' && at !== null; depth++) {
    const { code, severity, table, column, constraint, message, cause } = at as Record<string, unknown>;
    const state = typeof code === 'string' && isSqlState(code) ? code : '';
    const connection = !state && [code, message].some((text) => connectionFault.test(String(text)));
    yield { state, severity: String(severity), table, column, constraint, connection };
    at = cause;
  }
}

function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);
}
