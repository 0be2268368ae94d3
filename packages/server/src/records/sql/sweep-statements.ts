import { createHash } from 'node:crypto';
import { abandoned } from '../../outcome/outcome.js';
import type { Statement } from '../statement.js';

/** What a sweeper asks of one records table. See docs/decisions/0010. */
export interface SweepStatements {
  /** Must be the first of its transaction. */
  readonly readCommitted: Statement;
  /** Gives one row: how many went, and where the last of them lay. */
  deleteExpired(limit: number, from: number | undefined): Statement;
  /** Gives a row for each that was marked. */
  markAbandoned(limit: number, afterMs: number): Statement;
}

/** What is kept at least of a mark, whatever its record was to be kept: as long as an attempt may be on its way. */
const LEAST_KEPT = `interval '1 hour'`;

export function sweepStatements(table: string): SweepStatements {
  const statement = (name: string, text: string, ...values: unknown[]): Statement => ({
    name: `once_${name}_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`,
    text,
    values,
  });
  /**
   * The rows to change, found by an index and locked, by their place in the file: while the lock is held nobody moves
   * them, and one that moved before is not found again and waits for the next sweep. Each predicate stands a second time
   * where the rows are changed. now(), because no index can serve the volatile clock_timestamp(); the limit in the text,
   * because a plan made for any limit may read the whole table.
   */
  const picked = (predicate: string, by: string, limit: number): string =>
    `ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${predicate}
       ORDER BY ${by} LIMIT ${wholeNumber(limit)} FOR UPDATE SKIP LOCKED)) AND ${predicate}`;

  // As the index has it, to the letter: what is in progress or indeterminate is never deleted.
  const expired = `status IN ('COMPLETED', 'FAILED') AND expires_at < now()
       AND expires_at >= coalesce('epoch'::timestamptz + $1::float8 * interval '1 microsecond', '-infinity')`;
  const left = `status = 'IN_PROGRESS' AND updated_at < now() - $1::float8 * interval '1 millisecond'`;

  // Deleting waits for no disk and no standby: a row that a crash brings back replays, and is deleted again. A mark is an
  // outcome, and waits.
  return {
    readCommitted: { name: '', text: 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED', values: [] },
    deleteExpired: (limit, from) =>
      statement(
        'delete_expired',
        `WITH gone AS (DELETE FROM ${table} WHERE ${picked(expired, 'expires_at', limit)} RETURNING expires_at)
         SELECT count(*)::int AS count, (extract(epoch FROM max(expires_at)) * 1000000)::float8 AS up_to,
           set_config('synchronous_commit', 'off', true) FROM gone`,
        from ?? null,
      ),
    markAbandoned: (limit, afterMs) =>
      statement(
        'mark_abandoned',
        `UPDATE ${table} SET
           status = CASE WHEN effects_began_at IS NULL THEN '${abandoned.status}' ELSE 'INDETERMINATE' END,
           response_code = CASE WHEN effects_began_at IS NULL THEN '${abandoned.code}' END,
           response_headers = NULL,
           response_body = CASE WHEN effects_began_at IS NULL THEN '${abandoned.body}' END,
           updated_at = clock_timestamp(),
           expires_at = clock_timestamp() + greatest(expires_at - created_at, ${LEAST_KEPT})
         WHERE ${picked(left, 'updated_at', limit)} RETURNING procedure, key, status`,
        afterMs,
      ),
  };
}

/** It goes into the text. */
function wholeNumber(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new TypeError('the limit must be a whole number from 1');
  return limit;
}
