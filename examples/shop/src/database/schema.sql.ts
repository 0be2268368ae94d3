import type { Executor } from './executor.js';

/**
 * The shop's tables. The checks hold whatever the code does: no balance and no stock below zero.
 *
 * There is deliberately nothing unique about an order but its id: were an order placed twice, both rows would be there
 * to be counted. A constraint that refuses the second would only hide that it was asked for.
 */
const tables = `
CREATE TABLE IF NOT EXISTS accounts (
  id text PRIMARY KEY,
  balance_cents bigint NOT NULL CHECK (balance_cents >= 0)
);

CREATE TABLE IF NOT EXISTS products (
  sku text PRIMARY KEY,
  name text NOT NULL,
  price_cents bigint NOT NULL CHECK (price_cents > 0),
  -- All that was ever delivered; what is not in stock must be in orders.
  delivered bigint NOT NULL CHECK (delivered >= 0),
  stock bigint NOT NULL CHECK (stock >= 0)
);

CREATE TABLE IF NOT EXISTS orders (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id text NOT NULL REFERENCES accounts,
  sku text NOT NULL REFERENCES products,
  quantity bigint NOT NULL CHECK (quantity > 0),
  total_cents bigint NOT NULL CHECK (total_cents > 0),
  reference text,
  placed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS orders_of_account ON orders (account_id, placed_at DESC);

-- Every change of a balance, with the balance after it; deposits have no order.
CREATE TABLE IF NOT EXISTS ledger (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts,
  order_id uuid REFERENCES orders,
  amount_cents bigint NOT NULL CHECK (amount_cents <> 0),
  balance_cents bigint NOT NULL CHECK (balance_cents >= 0),
  entered_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS ledger_of_account ON ledger (account_id);
`;

/**
 * Creates what is missing. Several servers may start at once: IF NOT EXISTS alone fails when two create the same table
 * at the same moment (23505 on pg_type), so they take turns. One DO block, because a pool gives each statement whatever
 * connection is free, and PGlite takes one statement at a time.
 */
export async function createTables(db: Executor): Promise<void> {
  await db.query(
    `DO $shop$ BEGIN PERFORM pg_advisory_xact_lock(hashtextextended('trpc-once shop tables', 0)); ${tables} END $shop$`,
  );
}
