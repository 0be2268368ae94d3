import type { Sql } from './sql.js';

/** One way to find what has expired. It keeps its own place, where it has one. */
export interface AccessPath {
  readonly name: string;
  /** What it needs over the primary key. */
  readonly index: string;
  /** Deletes about `batch` expired records, and says how many, or that it is through. */
  sweep(db: Sql, batch: number): Promise<number | 'through'>;
  /** Forgets its place, as a sweeper that looks again after a minute. */
  again(): void;
}

const table = 'idempotency_records';
const brin = `CREATE INDEX ON ${table} USING brin (expires_at) WITH (autosummarize = on)`;
const btree = `CREATE INDEX ON ${table} (expires_at) WHERE status IN ('COMPLETED', 'FAILED')`;
const settled = `status IN ('COMPLETED', 'FAILED')`;

/** Deletes by place in the file: what was picked is locked, so it is still there. */
const deletePicked = (picked: string, bound = 'now()') =>
  `WITH gone AS (DELETE FROM ${table} WHERE ctid = ANY (ARRAY(${picked} FOR UPDATE SKIP LOCKED))
     AND expires_at < ${bound} RETURNING expires_at)
   SELECT count(*)::int AS gone, max(expires_at)::text AS last FROM gone`;

function statement(name: string, index: string, picked: string, bound?: string): AccessPath {
  const text = deletePicked(picked, bound);
  return {
    name,
    index,
    async sweep(db, batch) {
      const gone = (await db.query(text, [batch])).rows[0].gone as number;
      return gone < batch ? 'through' : gone;
    },
    again() {},
  };
}

function byIndexFromWhereItWas(): AccessPath {
  const text = deletePicked(`SELECT ctid FROM ${table} WHERE ${settled} AND expires_at < now()
    AND expires_at >= $2::timestamptz ORDER BY expires_at LIMIT $1::int`);
  let from = '-infinity';
  return {
    name: 'btree, from where the last batch ended',
    index: btree,
    async sweep(db, batch) {
      const { gone, last } = (await db.query(text, [batch, from])).rows[0];
      from = last ?? from;
      return gone < batch ? 'through' : gone;
    },
    again() {
      from = '-infinity';
    },
  };
}

/** Slices of the file, one after the other, each read whole. */
function byPlaceInTheFile(): AccessPath {
  const pages = 32;
  const text = deletePicked(`SELECT ctid FROM ${table} WHERE ctid >= format('(%s,0)', $1::bigint)::tid
    AND ctid < format('(%s,0)', $1::bigint + ${pages})::tid AND expires_at < now()`);
  let page = 0;
  return {
    name: 'slices of the file',
    index: '',
    async sweep(db) {
      const size = `SELECT pg_relation_size('${table}') / current_setting('block_size')::int AS pages`;
      if (page >= Number((await db.query(size)).rows[0].pages)) return 'through';
      const { gone } = (await db.query(text, [page])).rows[0];
      page += pages;
      return gone;
    },
    again() {
      page = 0;
    },
  };
}

/** Along the primary key, oldest UUIDv7 first; foreign keys lie anywhere. */
function byKey(): AccessPath {
  const text = `WITH slice AS MATERIALIZED (SELECT ctid, key, scope, expires_at FROM ${table}
      WHERE (key, scope) > ($2, $3) ORDER BY key, scope LIMIT $1::int),
    picked AS MATERIALIZED (SELECT ctid FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM slice
      WHERE expires_at < now())) AND expires_at < now() FOR UPDATE SKIP LOCKED),
    gone AS (DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM picked)) RETURNING 1)
    SELECT (SELECT count(*)::int FROM gone) AS gone, key, scope FROM slice ORDER BY key DESC, scope DESC LIMIT 1`;
  let place = ['', ''];
  return {
    name: 'along the primary key',
    index: '',
    async sweep(db, batch) {
      const [row] = (await db.query(text, [batch, ...place])).rows;
      if (!row) return 'through';
      place = [row.key, row.scope];
      return row.gone;
    },
    again() {
      place = ['', ''];
    },
  };
}

export const accessPaths = (): AccessPath[] => [
  statement(
    'clock_timestamp(), as it was',
    brin,
    `SELECT ctid FROM ${table} WHERE expires_at < clock_timestamp() LIMIT $1::int`,
    'clock_timestamp()',
  ),
  statement('brin', brin, `SELECT ctid FROM ${table} WHERE expires_at < now() LIMIT $1::int`),
  byPlaceInTheFile(),
  byKey(),
  statement(
    'btree, from the oldest each time',
    btree,
    `SELECT ctid FROM ${table} WHERE ${settled} AND expires_at < now() ORDER BY expires_at LIMIT $1::int`,
  ),
  byIndexFromWhereItWas(),
];
