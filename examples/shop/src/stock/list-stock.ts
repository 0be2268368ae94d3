import type { Product } from '../contract.js';
import type { Executor } from '../database/executor.js';
import { integer } from '../database/integer.js';

/** Everything on the shelf, sold out or not. */
export async function listStock(db: Executor): Promise<Product[]> {
  const { rows } = await db.query('SELECT sku, name, price_cents, stock FROM products ORDER BY sku');
  return rows.map((row) => ({
    sku: row.sku,
    name: row.name,
    priceCents: integer(row.price_cents),
    left: integer(row.stock),
  }));
}
