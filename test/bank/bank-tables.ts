/** Runs SQL with `$1` parameters: pg's pools and clients, PGlite, and the `tx` of either. */
export interface Sql {
  query(text: string, values?: unknown[]): Promise<{ rows: any[] }>;
}

/** Accounts a and b with 1,000.00 each, and an empty ledger. */
export async function createBankTables(db: Sql): Promise<void> {
  await db.query(`CREATE TABLE accounts (id text PRIMARY KEY, cents bigint NOT NULL CHECK (cents >= 0))`);
  await db.query(`CREATE TABLE ledger (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    procedure text NOT NULL, key text NOT NULL, cents bigint NOT NULL)`);
  await db.query(`INSERT INTO accounts VALUES ('a', 100000), ('b', 100000)`);
}

/** How many times each key took effect: the only thing that counts. */
export async function effects(db: Sql, key?: string): Promise<number> {
  const { rows } = await db.query(
    'SELECT count(*)::int AS count FROM ledger WHERE $1::text IS NULL OR key = $1',
    [key ?? null],
  );
  return rows[0].count;
}

/** Accounts and ledger together always hold what the bank began with. */
export async function totalCents(db: Sql): Promise<number> {
  const { rows } = await db.query('SELECT sum(cents)::int AS cents FROM accounts');
  return rows[0].cents;
}

export interface RecordRow {
  readonly scope: string;
  readonly key: string;
  readonly procedure: string;
  readonly status: string;
  readonly response_body: string | null;
}

export async function recordsOf(db: Sql, key?: string): Promise<RecordRow[]> {
  const { rows } = await db.query(
    'SELECT * FROM idempotency_records WHERE $1::text IS NULL OR key = $1 ORDER BY created_at',
    [key ?? null],
  );
  return rows;
}
