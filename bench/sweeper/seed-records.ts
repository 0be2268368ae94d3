import type { Sql } from './sql.js';

export interface Seeding {
  readonly expired: number;
  readonly live: number;
  /** Told now and then how many are in. */
  readonly onProgress?: (rows: number) => void;
}

/** One statement's worth: a few seconds. */
const CHUNK = 250_000;

/**
 * Fills `idempotency_records` as ten days of traffic would: oldest first, the live ones spread evenly among the
 * expired, two lengths of retention side by side, nine keys in ten a UUIDv7 and the tenth random.
 */
export async function seedRecords(db: Sql, { expired, live, onProgress }: Seeding): Promise<void> {
  const rows = expired + live;
  for (let from = 0; from < rows; from += CHUNK) {
    const to = Math.min(from + CHUNK, rows);
    await db.query(seed, [from, to - 1, rows, live]);
    onProgress?.(to);
  }
  await db.query('VACUUM (ANALYZE) idempotency_records');
}

/** A row is live where the running share of live ones passes a whole number. */
const seed = `INSERT INTO idempotency_records (key, scope, procedure, fingerprint, status, response_body, created_at,
    updated_at, expires_at)
  SELECT CASE WHEN i % 10 = 0 THEN md5(i::text)
      ELSE substr(ms, 1, 8) || '-' || substr(ms, 9) || '-7' || substr(md5(i::text), 1, 3) || '-8'
        || substr(md5(i::text), 4, 3) || '-' || substr(md5(i::text), 7, 12) END,
    '["user-' || i % 5000 || '"]', 'orders.place', '1.' || md5(i::text) || md5((-i)::text), 'COMPLETED',
    '{"id":' || i || ',"note":"' || repeat('x', 40) || '"}', at, at,
    CASE WHEN live THEN now() + interval '1 day' + i % 1000 * interval '1 minute'
      ELSE at + CASE WHEN i % 5 = 0 THEN interval '25 hours' ELSE interval '2 hours' END END
  FROM generate_series($1::bigint, $2::bigint) AS i,
    LATERAL (SELECT now() - interval '12 days' + i * (interval '10 days' / $3::bigint) AS at) AS made,
    LATERAL (SELECT lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') AS ms,
      (i + 1) * $4::bigint / $3::bigint > i * $4::bigint / $3::bigint AS live) AS told`;
