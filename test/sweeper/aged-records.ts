import type { Sql } from '../bank/bank-tables.js';

export interface Aged {
  readonly count: number;
  /** Begins their keys. */
  readonly prefix: string;
  /** @default 'COMPLETED' */
  readonly status?: string;
  /** As SQL. @default expired a minute ago, one microsecond apart */
  readonly expiresAt?: string;
  /** As SQL. @default 'now()' */
  readonly updatedAt?: string;
  /** As SQL. @default 'NULL' */
  readonly effectsBeganAt?: string;
}

/** Writes records as if they had been there for long. `i` counts from 1 in the SQL of their times. */
export async function insertAged(db: Sql, aged: Aged): Promise<void> {
  const {
    count,
    prefix,
    status = 'COMPLETED',
    expiresAt = `now() - interval '1 minute' + i * interval '1 microsecond'`,
    updatedAt = 'now()',
    effectsBeganAt = 'NULL',
  } = aged;
  await db.query(
    `INSERT INTO idempotency_records (key, scope, procedure, fingerprint, status, response_body, created_at,
       updated_at, expires_at, effects_began_at)
     SELECT $2 || i, '["ann"]', 'echo', '1.abc', $3, '"aged"', now() - interval '1 day', ${updatedAt}, ${expiresAt},
       ${effectsBeganAt} FROM generate_series(1, $1::int) AS i`,
    [count, prefix, status],
  );
}

/** How many records there are whose key begins so. */
export async function countRecords(db: Sql, prefix = ''): Promise<number> {
  const { rows } = await db.query(
    `SELECT count(*)::int AS count FROM idempotency_records WHERE starts_with(key, $1)`,
    [prefix],
  );
  return rows[0].count;
}
