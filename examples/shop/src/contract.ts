import { defineContract, procedure } from '@trpc-once/contract';
import { z } from 'zod';

/** Money is whole cents: no amount here ever was, or becomes, a fraction. */
const Cents = z.int();
const Sku = z.string().min(1).max(64);

const Balance = z.object({ accountId: z.string(), balanceCents: Cents });
const Product = z.object({ sku: Sku, name: z.string(), priceCents: Cents, left: z.int() });

const PlaceOrder = z.object({
  sku: Sku,
  quantity: z.int().min(1).max(1_000),
  /** The customer's own name for the order. Free text: two orders may well carry the same. */
  reference: z.string().max(64).optional(),
});
const CheckOut = z.object({
  lines: z
    .array(z.object({ sku: Sku, quantity: z.int().min(1).max(1_000) }))
    .min(1)
    .max(20),
  /** As in `place`; each line's order carries it, with the line's number. */
  reference: z.string().max(48).optional(),
});
const Order = z.object({
  id: z.uuid(),
  accountId: z.string(),
  sku: Sku,
  quantity: z.int(),
  totalCents: Cents,
  reference: z.string().nullable(),
  placedAt: z.iso.datetime(),
});

export type PlaceOrder = z.output<typeof PlaceOrder>;
export type CheckOut = z.output<typeof CheckOut>;
export type Order = z.output<typeof Order>;
export type Product = z.output<typeof Product>;
export type Balance = z.output<typeof Balance>;

/** Why an order can be turned down. */
const orderErrors = {
  UNKNOWN_SKU: {
    code: 'NOT_FOUND',
    data: z.object({ sku: Sku }),
    message: 'The shop has no such product.',
  },
  OUT_OF_STOCK: {
    code: 'CONFLICT',
    data: z.object({ sku: Sku, left: z.int() }),
    message: 'There are not enough of this product left.',
  },
  INSUFFICIENT_FUNDS: {
    code: 'PAYMENT_REQUIRED',
    data: z.object({ balanceCents: Cents, priceCents: Cents }),
    message: 'The account does not hold enough for this order.',
  },
} as const;

/** What the shop offers. Whoever is signed in has one account; it is charged, and nobody else's can be named. */
export const shop = defineContract({
  accounts: {
    balance: procedure.output(Balance).query(),
  },
  stock: {
    list: procedure.output(z.array(Product)).query(),
  },
  orders: {
    place: procedure
      .input(PlaceOrder)
      .output(Order)
      .errors(orderErrors)
      // An order takes milliseconds. After a kill -9 its key is free again after five seconds, not the default thirty.
      .idempotent({ leaseMs: 5_000 })
      .mutation(),
    /** A whole cart: every line of it, or nothing. */
    checkOut: procedure
      .input(CheckOut)
      .output(z.array(Order))
      .errors(orderErrors)
      .idempotent({ leaseMs: 5_000 })
      .mutation(),
    byId: procedure
      .input(z.object({ id: z.uuid() }))
      .output(Order)
      .errors({ UNKNOWN_ORDER: { code: 'NOT_FOUND', message: 'This account has no such order.' } })
      .query(),
    list: procedure
      .input(z.object({ limit: z.int().min(1).max(200).default(50) }))
      .output(z.array(Order))
      .query(),
  },
});
