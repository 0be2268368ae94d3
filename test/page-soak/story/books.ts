import type { Pool } from 'pg';

/** One line of a cart as the shop has it. */
export interface OrderRow {
  readonly cart: string;
  /** The line's number in its cart. */
  readonly line: number;
  readonly account: string;
  readonly cents: number;
  /** When its transaction began, in epoch milliseconds. */
  readonly at: number;
  /** Ledger rows that charge this account this amount for it. */
  readonly charges: number;
}

/** The outcome of a key as the server recorded it. */
export interface RecordRow {
  readonly key: string;
  readonly status: string;
}

/** What the database says. */
export interface Ledger {
  readonly orders: readonly OrderRow[];
  readonly records: readonly RecordRow[];
}

export async function readLedger(db: Pool): Promise<Ledger> {
  const orders = await db.query(
    `SELECT split_part(o.reference, '/', 1) AS cart, split_part(o.reference, '/', 2)::int AS line,
            o.account_id AS account, o.total_cents::int AS cents,
            (extract(epoch FROM o.placed_at) * 1000)::float8 AS at,
            (SELECT count(*)::int FROM ledger l WHERE l.order_id = o.id AND l.account_id = o.account_id
               AND l.amount_cents = -o.total_cents) AS charges
     FROM orders o`,
  );
  const records = await db.query('SELECT key, status FROM idempotency_records');
  return { orders: orders.rows, records: records.rows };
}
