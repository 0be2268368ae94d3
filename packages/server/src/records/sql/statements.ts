import { createHash } from 'node:crypto';
import type { OperationId } from '../../outcome/operation-id.js';
import type { Outcome } from '../../outcome/outcome.js';
import type { RecordDraft } from '../record-store.js';
import type { Statement } from '../statement.js';

/** The statements of one records table. */
export interface RecordStatements {
  hold(id: OperationId): Statement;
  find(id: OperationId): Statement;
  /** The same inside a transaction that holds the operation; finds nothing in one that is SERIALIZABLE. */
  findHeld(id: OperationId): Statement;
  insert(draft: RecordDraft, outcome: Outcome): Statement;
}

/**
 * How long Postgres lets a transaction of ours sit idle, in milliseconds, unless the session says otherwise. A process
 * that was frozen, or cut off without a word, would else hold the operation and its row locks for hours.
 */
const IDLE_MS = '60000';

export function recordStatements(table: string): RecordStatements {
  const statement = (name: string, text: string) => {
    // One name, one text: another version of this library on the same connection has other names.
    const prepared = `once_${name}_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
    return (...values: unknown[]): Statement => ({ name: prepared, text, values });
  };

  const hold = statement(
    'hold',
    `SELECT pg_try_advisory_xact_lock($1::bigint) AS held,
       current_setting('transaction_isolation') = 'serializable' AS serializable,
       CASE WHEN current_setting('idle_in_transaction_session_timeout') = '0'
         THEN set_config('idle_in_transaction_session_timeout', $2, true) END`,
  );
  const record = `SELECT fingerprint, status, response_code, response_headers, response_body,
       (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS left_ms
     FROM ${table} WHERE key = $1 AND scope = $2`;
  const find = statement('find', record);
  // The condition holds for all rows or for none, and where for none Postgres does not look at one of them.
  const findHeld = statement(
    'find_held',
    `${record} AND current_setting('transaction_isolation') <> 'serializable'`,
  );
  // clock_timestamp, not now: retention counts from when the outcome settled, not from when a long handler began.
  const insert = statement(
    'insert',
    `INSERT INTO ${table} (key, scope, procedure, fingerprint, status, response_code, response_headers,
       response_body, created_at, updated_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now(), clock_timestamp(),
       clock_timestamp() + $9::float8 * interval '1 millisecond')`,
  );

  return {
    hold: (id) => hold(holdNumber(table, id), IDLE_MS),
    find: ({ key, scope }) => find(key, scope),
    findHeld: ({ key, scope }) => findHeld(key, scope),
    insert: ({ id, procedure, fingerprint, retentionMs }, outcome) =>
      insert(
        id.key,
        id.scope,
        procedure,
        fingerprint,
        outcome.status,
        outcome.status === 'FAILED' ? outcome.code : null,
        outcome.headers ?? null,
        outcome.body,
        retentionMs,
      ),
  };
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
