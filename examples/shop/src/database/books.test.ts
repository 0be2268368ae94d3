import { afterAll, beforeAll, expect, it } from 'vitest';
import { shopDatabase } from '../testing/shop-database.js';
import { type Books, readBooks } from './books.js';
import { createTables } from './schema.sql.js';
import { openAccount } from './seed.js';

let database: Awaited<ReturnType<typeof shopDatabase>>;
beforeAll(async () => {
  database = await shopDatabase();
}, 60_000);
afterAll(() => database.close());

/** Each is what one kind of defect would leave behind. */
const defects: { [F in Exclude<keyof Books, 'orders' | 'charges'>]: string } = {
  repeatedReferences: `INSERT INTO orders (account_id, sku, quantity, total_cents, reference)
    SELECT account_id, sku, quantity, total_cents, reference FROM orders`,
  ordersNotChargedOnce: `INSERT INTO ledger (account_id, order_id, amount_cents, balance_cents)
    SELECT account_id, order_id, amount_cents, balance_cents FROM ledger WHERE order_id IS NOT NULL`,
  balancesOff: 'UPDATE accounts SET balance_cents = balance_cents + 1',
  ledgerBreaks: 'UPDATE ledger SET balance_cents = balance_cents + 1 WHERE order_id IS NOT NULL',
  stockOff: 'UPDATE products SET stock = stock - 1',
};

it.each(Object.entries(defects))('%s is no longer zero when it should not be', async (figure, defect) => {
  const shop = await database.open();
  await shop.place({ sku: 'tea', quantity: 1, reference: 'R-1' });
  expect((await readBooks(shop.db))[figure as keyof Books]).toBe(0);
  await shop.db.exec(defect);
  expect((await readBooks(shop.db))[figure as keyof Books]).toBe(1);
});

it('an order that nothing charges for, or another amount, is not charged once', async () => {
  const shop = await database.open();
  await shop.place({ sku: 'tea', quantity: 1 });
  await shop.db.exec('UPDATE ledger SET amount_cents = amount_cents - 1 WHERE order_id IS NOT NULL');
  expect(await readBooks(shop.db)).toMatchObject({ charges: 1, ordersNotChargedOnce: 1 });
  await shop.db.exec('DELETE FROM ledger WHERE order_id IS NOT NULL');
  expect(await readBooks(shop.db)).toMatchObject({ charges: 0, ordersNotChargedOnce: 1 });
});

it('what is there stays when a server starts again', async () => {
  const shop = await database.open();
  await shop.place({ sku: 'tea', quantity: 1 });
  const before = await readBooks(shop.db);
  await createTables(shop.db);
  await openAccount(shop.db, { id: 'ada', balanceCents: 999_999 });
  expect(await readBooks(shop.db)).toEqual(before);
});

it.each([
  ['a balance', 'UPDATE accounts SET balance_cents = -1'],
  ['a stock', 'UPDATE products SET stock = -1'],
])('the database itself refuses %s below zero', async (_what, statement) => {
  const shop = await database.open();
  await expect(shop.db.exec(statement)).rejects.toThrow('violates check constraint');
});
