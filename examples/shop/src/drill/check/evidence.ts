import type { Order } from '../../contract.js';
import { type Books, readBooks } from '../../database/books.js';
import type { Executor } from '../../database/executor.js';
import { orderColumns, readOrder } from '../../orders/order-row.js';

/** How an operation settled, as its record says. */
export interface SettledRecord {
  readonly key: string;
  readonly status: string;
  /** The output, or `{ message, declared }`. */
  readonly body: unknown;
}

/** What the database says happened; nothing here comes from a client or a server. */
export interface Evidence {
  readonly books: Books;
  readonly orders: readonly Order[];
  readonly records: readonly SettledRecord[];
}

/** To be read when nobody writes any more: each part is a snapshot of its own. */
export async function readEvidence(db: Executor): Promise<Evidence> {
  const { rows: orders } = await db.query(`SELECT ${orderColumns} FROM orders`);
  const { rows: records } = await db.query('SELECT key, status, response_body FROM idempotency_records');
  return {
    books: await readBooks(db),
    orders: orders.map(readOrder),
    records: records.map(({ key, status, response_body }) => ({
      key,
      status,
      body: response_body === null ? undefined : JSON.parse(response_body),
    })),
  };
}
