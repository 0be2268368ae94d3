import type { Order } from '../contract.js';
import { integer } from '../database/integer.js';

/** The columns of `orders` that {@link readOrder} reads. */
export const orderColumns = 'id, account_id, sku, quantity, total_cents, reference, placed_at';

export function readOrder(row: any): Order {
  return {
    id: row.id,
    accountId: row.account_id,
    sku: row.sku,
    quantity: integer(row.quantity),
    totalCents: integer(row.total_cents),
    reference: row.reference,
    placedAt: row.placed_at.toISOString(),
  };
}
