import { expect, it } from 'vitest';
import { someProducts } from '../database/seed.js';
import { planDrill } from './plan.js';

const small = { seed: 1, orders: 120, clients: 5 };

it('the same options give the same plan, and another seed another one', () => {
  expect(planDrill(small)).toEqual(planDrill({ ...small }));
  expect(planDrill({ ...small, seed: 2 }).operations).not.toEqual(planDrill(small).operations);
});

it('every operation has a reference of its own, and every client its share', () => {
  const { operations } = planDrill(small);
  expect(new Set(operations.map(({ reference }) => reference)).size).toBe(120);
  for (const client of [0, 1, 2, 3, 4])
    expect(operations.filter((order) => order.client === client)).toHaveLength(24);
});

it('asks for more of the rare product than there is, and for some that nobody can pay', () => {
  const { operations, rareSold } = planDrill(small);
  const fated = (fate: string) => operations.filter((order) => order.fate === fate).length;
  expect([fated('sold-or-out-of-stock'), fated('insufficient-funds')]).toEqual([10, 4]);
  expect(rareSold).toBe(3);
  expect(planDrill({ ...small, orders: 24 }).rareSold).toBe(2);
});

const prices = Object.fromEntries(someProducts.map(({ sku, priceCents }) => [sku, priceCents]));

it.each([
  { seed: 1, orders: 1, clients: 1 },
  { seed: 3, orders: 3_000, clients: 1 },
  { seed: 4, orders: 3_000, clients: 64 },
])('every customer can pay for all that must be sold, and for nothing that must not: %o', (options) => {
  const { operations, customers } = planDrill(options);
  for (const { client, balanceCents } of customers) {
    const own = operations.filter((order) => order.client === client);
    const cents = (fate: string) =>
      own.filter((order) => order.fate === fate).map(({ sku, quantity }) => prices[sku]! * quantity);
    const certain = cents('sold').reduce((sum, price) => sum + price, 0);
    expect(balanceCents).toBeGreaterThanOrEqual(certain + 4 * prices['cup-rare']!);
    for (const price of cents('insufficient-funds')) expect(price).toBeGreaterThan(balanceCents);
  }
});
