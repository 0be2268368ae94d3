import { createHash } from 'node:crypto';
import type { OperationId } from '../../outcome/operation-id.js';
import type { Outcome } from '../../outcome/outcome.js';
import type { RecordDraft } from '../record-store.js';
import type { Statement } from '../statement.js';

/** The statements of one records table. */
export interface RecordStatements {
  /**
   * Takes the operation, and says where that is: whether it is `held`, whether the transaction is `serializable`, whether
   * this is a `standby`, the `relation` that the table's name means here and now, and when the transaction `began`. Limits
   * how long Postgres lets the transaction go on without us.
   */
  hold(id: OperationId, runTimeoutMs?: number): Statement;
  /** Gives one row always, with nulls where there is no record: only a primary's word for that counts. */
  find(id: OperationId): Statement;
  /** The record inside a transaction that holds the operation; finds nothing in one that is SERIALIZABLE. */
  findHeld(id: OperationId): Statement;
  /** When the transaction `began`, in the words of `hold`. */
  began(): Statement;
  /** Settles: the last statement of its transaction. */
  insert(draft: RecordDraft, outcome: Outcome, held: Held): Statement;
}

/** What the transaction is and where its record goes, as `hold` found it. */
export interface Held {
  /** The records table, qualified: a handler may set another search path. */
  readonly relation: string;
  /** When the transaction began. In another one the insert fails, with 23502 for `procedure`. */
  readonly began: string;
}

/** To the microsecond, which tells a transaction from any other on its connection. */
const BEGAN = 'extract(epoch FROM now())::text';

export function recordStatements(table: string): RecordStatements {
  const unlessSet = (name: string, value: string): string =>
    `CASE WHEN current_setting('${name}') = '0' THEN set_config('${name}', ${value}, true) END`;
  const hold = statement(
    'hold',
    `SELECT pg_try_advisory_xact_lock($1::bigint) AS held,
       current_setting('transaction_isolation') = 'serializable' AS serializable,
       pg_is_in_recovery() AS standby,
       ${BEGAN} AS began,
       (SELECT relnamespace::regnamespace::text || '.' || quote_ident(relname) FROM pg_class
         WHERE oid = to_regclass('${table.replaceAll("'", "''")}')) AS relation,
       ${unlessSet('idle_in_transaction_session_timeout', '$2')},
       ${unlessSet('statement_timeout', '$3')}`,
  );
  const began = statement('began', `SELECT ${BEGAN} AS began`);
  const record = `SELECT fingerprint, status, response_code, response_headers, response_body,
       (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS left_ms
     FROM ${table} WHERE key = $1 AND scope = $2`;
  const find = statement(
    'find',
    `SELECT pg_is_in_recovery() AS standby, found.*
     FROM (SELECT 1) AS asked LEFT JOIN LATERAL (${record}) AS found ON true`,
  );
  // The condition holds for all rows or for none, and where for none Postgres does not look at one of them.
  const findHeld = statement(
    'find_held',
    `${record} AND current_setting('transaction_isolation') <> 'serializable'`,
  );

  let into: { readonly relation: string; readonly insert: ReturnType<typeof insertInto> } | undefined;

  return {
    hold: (id, runTimeoutMs = DEFAULT_LIMIT_MS) => hold(holdNumber(table, id), ...limitsOf(runTimeoutMs)),
    find: ({ key, scope }) => find(key, scope),
    findHeld: ({ key, scope }) => findHeld(key, scope),
    began: () => began(),
    insert({ id, procedure, fingerprint, retentionMs }, outcome, held) {
      // The same one for as long as an application lives, but for those with a schema per tenant.
      if (into?.relation !== held.relation)
        into = { relation: held.relation, insert: insertInto(held.relation) };
      return into.insert(
        id.key,
        id.scope,
        procedure,
        fingerprint,
        outcome.status,
        outcome.status === 'FAILED' ? outcome.code : null,
        outcome.headers ?? null,
        outcome.body,
        retentionMs,
        held.began,
      );
    },
  };
}

function insertInto(relation: string): (...values: unknown[]) => Statement {
  // clock_timestamp, not now: retention counts from when the outcome settled, not from when a long handler began.
  return statement(
    'insert',
    `INSERT INTO ${relation} (key, scope, procedure, fingerprint, status, response_code, response_headers,
       response_body, created_at, updated_at, expires_at)
     VALUES ($1, $2, CASE WHEN ${BEGAN} = $10 THEN $3 END, $4, $5, $6, $7, $8, now(), clock_timestamp(),
       clock_timestamp() + $9::float8 * interval '1 millisecond')`,
  );
}

/** One name, one text: another version of this library on the same connection has other names. */
function statement(name: string, text: string): (...values: unknown[]) => Statement {
  const prepared = `once_${name}_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  return (...values) => ({ name: prepared, text, values });
}

const DEFAULT_LIMIT_MS = 60_000;

/**
 * How long Postgres lets a transaction of ours sit idle, and one statement in it run, in milliseconds, unless the session
 * says otherwise: as long as its handler may run, and a second more, because a process that lives rolls back by itself. One
 * that was frozen, killed or cut off without a word would else hold the operation and its row locks for hours.
 */
function limitsOf(runTimeoutMs: number): [idle: string, statement: string] {
  if (runTimeoutMs === Number.POSITIVE_INFINITY) return [String(DEFAULT_LIMIT_MS), '0'];
  // Postgres counts them in 32 bits.
  const limit = String(Math.min(2_147_483_647, Math.ceil(runTimeoutMs) + 1_000));
  return [limit, limit];
}

/**
 * The number under which transactions of one operation exclude each other: 64 bits of a digest, of the table too, because
 * numbers are the whole database's. Should two operations ever share one, the second is told IN_PROGRESS for a moment;
 * nothing is mixed up.
 */
function holdNumber(table: string, { scope, key }: OperationId): string {
  const digest = createHash('sha256').update(`trpc-once:${table}:${scope.length}:${scope}${key}`).digest();
  return digest.readBigInt64BE(0).toString();
}
