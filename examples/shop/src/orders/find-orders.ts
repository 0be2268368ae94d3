import type { Order } from '../contract.js';
import type { Executor } from '../database/executor.js';
import { orderColumns, readOrder } from './order-row.js';

/** One of the account's own orders; `undefined` when it has none with that id. */
export async function findOrder(db: Executor, accountId: string, id: string): Promise<Order | undefined> {
  const { rows } = await db.query(`SELECT ${orderColumns} FROM orders WHERE id = $1 AND account_id = $2`, [
    id,
    accountId,
  ]);
  return rows[0] && readOrder(rows[0]);
}

/** The account's own orders, the newest first. */
export async function listOrders(db: Executor, accountId: string, limit: number): Promise<Order[]> {
  const { rows } = await db.query(
    `SELECT ${orderColumns} FROM orders WHERE account_id = $1 ORDER BY placed_at DESC, id LIMIT $2`,
    [accountId, limit],
  );
  return rows.map(readOrder);
}
