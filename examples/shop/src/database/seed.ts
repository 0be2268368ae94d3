import type { Executor } from './executor.js';

/** Opens an account with money in it, and the ledger row for that. One that exists is left as it is. */
export async function openAccount(
  db: Executor,
  account: { readonly id: string; readonly balanceCents: number },
): Promise<void> {
  await db.query(
    `WITH opened AS (
       INSERT INTO accounts (id, balance_cents) VALUES ($1, $2)
       ON CONFLICT (id) DO NOTHING
       RETURNING id, balance_cents
     )
     INSERT INTO ledger (account_id, amount_cents, balance_cents)
     SELECT id, balance_cents, balance_cents FROM opened WHERE balance_cents > 0`,
    [account.id, account.balanceCents],
  );
}

/** Puts a product on the shelf. One that is there already is left as it is. */
export async function offerProduct(
  db: Executor,
  product: {
    readonly sku: string;
    readonly name: string;
    readonly priceCents: number;
    readonly stock: number;
  },
): Promise<void> {
  await db.query(
    `INSERT INTO products (sku, name, price_cents, delivered, stock) VALUES ($1, $2, $3, $4, $4)
     ON CONFLICT (sku) DO NOTHING`,
    [product.sku, product.name, product.priceCents, product.stock],
  );
}

/** The shelf of a small shop: enough of everything but the last product, so that OUT_OF_STOCK can be seen. */
export const someProducts = [
  { sku: 'tea-green', name: 'Green tea, 100 g', priceCents: 749, stock: 100_000 },
  { sku: 'tea-black', name: 'Black tea, 100 g', priceCents: 590, stock: 100_000 },
  { sku: 'pot-iron', name: 'Cast-iron pot', priceCents: 6_400, stock: 100_000 },
  { sku: 'cup-rare', name: 'Cup from a closed pottery', priceCents: 12_000, stock: 3 },
] as const;
