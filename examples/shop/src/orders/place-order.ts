import type { ErrorsOf } from '@trpc-once/contract';
import type { ErrorFactories } from '@trpc-once/server';
import type { Order, PlaceOrder, shop } from '../contract.js';
import type { Executor } from '../database/executor.js';
import { integer } from '../database/integer.js';
import { orderColumns, readOrder } from './order-row.js';

type PlaceOrderErrors = ErrorFactories<ErrorsOf<typeof shop.orders.place>>;

export interface PlaceOrderCall {
  /** A transaction: all of this happens, or nothing. */
  readonly tx: Executor;
  /** Who pays: the one who is signed in. */
  readonly accountId: string;
  readonly input: PlaceOrder;
  readonly errors: PlaceOrderErrors;
}

/**
 * Charges the account, takes the stock, writes the order and its ledger row.
 *
 * Always the account's row first, then the product's: where all transactions take rows in one order, none can wait in a
 * circle (40P01). The product goes last because it is the row that everybody wants, and it stays taken until commit.
 *
 * @throws the declared errors UNKNOWN_SKU, INSUFFICIENT_FUNDS, OUT_OF_STOCK; the transaction must then roll back.
 */
export async function placeOrder({ tx, accountId, input, errors }: PlaceOrderCall): Promise<Order> {
  const { sku, quantity, reference = null } = input;
  const totalCents = (await priceOf(tx, sku, errors)) * quantity;
  const balanceCents = await charge(tx, accountId, totalCents, errors);
  await takeStock(tx, sku, quantity, errors);
  const { rows } = await tx.query(
    `INSERT INTO orders (account_id, sku, quantity, total_cents, reference) VALUES ($1, $2, $3, $4, $5)
     RETURNING ${orderColumns}`,
    [accountId, sku, quantity, totalCents, reference],
  );
  const order = readOrder(rows[0]);
  await tx.query(
    'INSERT INTO ledger (account_id, order_id, amount_cents, balance_cents) VALUES ($1, $2, $3, $4)',
    [accountId, order.id, -totalCents, balanceCents],
  );
  return order;
}

async function priceOf(tx: Executor, sku: string, errors: PlaceOrderErrors): Promise<number> {
  const { rows } = await tx.query('SELECT price_cents FROM products WHERE sku = $1', [sku]);
  if (!rows[0]) throw errors.UNKNOWN_SKU({ sku });
  return integer(rows[0].price_cents);
}

/** Takes the money; gives what is left. */
async function charge(
  tx: Executor,
  accountId: string,
  priceCents: number,
  errors: PlaceOrderErrors,
): Promise<number> {
  for (;;) {
    const { rows: charged } = await tx.query(
      `UPDATE accounts SET balance_cents = balance_cents - $2 WHERE id = $1 AND balance_cents >= $2
       RETURNING balance_cents`,
      [accountId, priceCents],
    );
    if (charged[0]) return integer(charged[0].balance_cents);
    const { rows } = await tx.query('SELECT balance_cents FROM accounts WHERE id = $1', [accountId]);
    if (!rows[0]) throw new Error(`account ${accountId} is signed in but was never opened`);
    const balanceCents = integer(rows[0].balance_cents);
    if (balanceCents < priceCents) throw errors.INSUFFICIENT_FUNDS({ balanceCents, priceCents });
    // A deposit came between the two statements: there is enough now.
  }
}

async function takeStock(
  tx: Executor,
  sku: string,
  quantity: number,
  errors: PlaceOrderErrors,
): Promise<void> {
  for (;;) {
    const { rows: taken } = await tx.query(
      'UPDATE products SET stock = stock - $2 WHERE sku = $1 AND stock >= $2 RETURNING stock',
      [sku, quantity],
    );
    if (taken[0]) return;
    const { rows } = await tx.query('SELECT stock FROM products WHERE sku = $1', [sku]);
    const left = integer(rows[0]?.stock ?? 0);
    if (left < quantity) throw errors.OUT_OF_STOCK({ sku, left });
    // A delivery came between the two statements: there are enough now.
  }
}
