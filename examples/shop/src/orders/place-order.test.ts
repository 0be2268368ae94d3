import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBalance } from '../accounts/read-balance.js';
import { readBooks } from '../database/books.js';
import { offerProduct, openAccount } from '../database/seed.js';
import { listStock } from '../stock/list-stock.js';
import { shopDatabase } from '../testing/shop-database.js';
import { findOrder, listOrders } from './find-orders.js';

let database: Awaited<ReturnType<typeof shopDatabase>>;
beforeAll(async () => {
  database = await shopDatabase();
}, 60_000);
afterAll(() => database.close());

const declared = (name: string, data: unknown) => ({ data: { declared: { name, data } } });

it('an order charges the account, takes the stock and is in the ledger', async () => {
  const shop = await database.open();
  const order = await shop.place({ sku: 'tea', quantity: 3, reference: 'R-1' });
  expect(order).toMatchObject({
    ...{ accountId: 'ada', sku: 'tea', quantity: 3, totalCents: 2_247, reference: 'R-1' },
    placedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
  expect(await readBalance(shop.db, 'ada')).toEqual({ accountId: 'ada', balanceCents: 7_753 });
  expect(await listStock(shop.db)).toEqual([{ sku: 'tea', name: 'Tea', priceCents: 749, left: 7 }]);
  expect(await findOrder(shop.db, 'ada', order.id)).toEqual(order);
  expect(await readBooks(shop.db)).toEqual({
    ...{ orders: 1, charges: 1, repeatedReferences: 0, ordersNotChargedOnce: 0 },
    ...{ balancesOff: 0, ledgerBreaks: 0, stockOff: 0 },
  });
});

it('an account that holds too little pays nothing and is told what it holds and what it would cost', async () => {
  const shop = await database.open();
  await openAccount(shop.db, { id: 'bob', balanceCents: 1_497 });
  await expect(shop.place({ sku: 'tea', quantity: 2 }, 'bob')).rejects.toMatchObject({
    code: 'PAYMENT_REQUIRED',
    ...declared('INSUFFICIENT_FUNDS', { balanceCents: 1_497, priceCents: 1_498 }),
  });
  expect(await readBooks(shop.db)).toMatchObject({ orders: 0, charges: 0, balancesOff: 0, stockOff: 0 });
});

it('an account may be emptied to the last cent', async () => {
  const shop = await database.open();
  await openAccount(shop.db, { id: 'bob', balanceCents: 1_498 });
  await shop.place({ sku: 'tea', quantity: 2 }, 'bob');
  expect(await readBalance(shop.db, 'bob')).toEqual({ accountId: 'bob', balanceCents: 0 });
});

it('the money is back when there is not enough stock, and the error says what is left', async () => {
  const shop = await database.open();
  await shop.place({ sku: 'tea', quantity: 8 });
  await expect(shop.place({ sku: 'tea', quantity: 3 })).rejects.toMatchObject({
    code: 'CONFLICT',
    ...declared('OUT_OF_STOCK', { sku: 'tea', left: 2 }),
  });
  expect(await readBalance(shop.db, 'ada')).toEqual({ accountId: 'ada', balanceCents: 10_000 - 8 * 749 });
  expect(await readBooks(shop.db)).toMatchObject({ orders: 1, charges: 1, balancesOff: 0, stockOff: 0 });
});

it('a product that the shop does not have is named', async () => {
  const shop = await database.open();
  await expect(shop.place({ sku: 'gold', quantity: 1 })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    ...declared('UNKNOWN_SKU', { sku: 'gold' }),
  });
});

it('an account that was never opened is a defect, not an outcome', async () => {
  const shop = await database.open();
  await expect(shop.place({ sku: 'tea', quantity: 1 }, 'nobody')).rejects.toThrow(
    'account nobody is signed in but was never opened',
  );
});

it('two orders with the same reference are two orders', async () => {
  const shop = await database.open();
  const twice = [1, 2].map(() => shop.place({ sku: 'tea', quantity: 1, reference: 'R-1' }));
  const [one, two] = await Promise.all(twice);
  expect(one?.id).not.toBe(two?.id);
  expect(await readBooks(shop.db)).toMatchObject({ orders: 2, charges: 2, repeatedReferences: 1 });
});

it('nobody sees the orders of another account', async () => {
  const shop = await database.open();
  await openAccount(shop.db, { id: 'bob', balanceCents: 1_000 });
  const order = await shop.place({ sku: 'tea', quantity: 1 });
  expect(await findOrder(shop.db, 'bob', order.id)).toBeUndefined();
  expect(await listOrders(shop.db, 'bob', 50)).toEqual([]);
});

it('orders are listed with the newest first, and no more than asked for', async () => {
  const shop = await database.open();
  for (const reference of ['first', 'second', 'third'])
    await shop.place({ sku: 'tea', quantity: 1, reference });
  const listed = await listOrders(shop.db, 'ada', 2);
  expect(listed.map(({ reference }) => reference)).toEqual(['third', 'second']);
});

it('a cart is ordered as a whole, each line with its reference, or not at all', async () => {
  const shop = await database.open();
  await offerProduct(shop.db, { sku: 'cup', name: 'Cup', priceCents: 1_000, stock: 1 });
  const tea = { sku: 'tea', quantity: 2 };
  const soldOut = shop.checkOut({ lines: [tea, { sku: 'cup', quantity: 2 }], reference: 'C-1' });
  await expect(soldOut).rejects.toMatchObject(declared('OUT_OF_STOCK', { sku: 'cup', left: 1 }));
  expect((await readBooks(shop.db)).orders).toBe(0);
  const orders = await shop.checkOut({ lines: [tea, { sku: 'cup', quantity: 1 }], reference: 'C-1' });
  expect(orders.map(({ sku, totalCents, reference }) => [sku, totalCents, reference])).toEqual([
    ['cup', 1_000, 'C-1/1'],
    ['tea', 1_498, 'C-1/2'],
  ]);
  expect(await readBalance(shop.db, 'ada')).toEqual({ accountId: 'ada', balanceCents: 7_502 });
  expect(Object.values(await readBooks(shop.db))).toEqual([2, 2, 0, 0, 0, 0, 0]);
});
