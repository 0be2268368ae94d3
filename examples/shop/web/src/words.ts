import { isNotSent } from '@trpc-once/client';
import { declaredError, readIdempotency, readRefusal } from '@trpc-once/contract';
import { shop } from '../../src/contract.js';
import { nameOf } from './products.js';

export function money(cents: number): string {
  return (cents / 100).toLocaleString('en', { style: 'currency', currency: 'EUR' });
}

/** Why an order was not placed: certain, as everything that is said of an outcome. */
export function turnedDown(error: unknown): string {
  // The cart had been ordered with something else in it, from a tab or a page that knew it so; what became of that order
  // is another question.
  if (readRefusal(error) === 'FINGERPRINT_MISMATCH')
    return 'This cart had been ordered before it was changed: see the orders on record.';
  const declared = declaredError(error, shop.orders.checkOut);
  switch (declared?.name) {
    case 'OUT_OF_STOCK': {
      const { sku, left } = declared.data;
      return `Not placed: ${left === 0 ? 'nothing' : `only ${left}`} left of ${nameOf(sku)}. Nothing was charged.`;
    }
    case 'INSUFFICIENT_FUNDS':
      return `Not placed: ${money(declared.data.priceCents)} is more than the ${money(declared.data.balanceCents)} in the account. Nothing was charged.`;
    case 'UNKNOWN_SKU':
      return `Not placed: the shop has no ${nameOf(declared.data.sku)}. Nothing was charged.`;
    default:
      return isNotSent(error) || readIdempotency(error)
        ? `Not placed: ${(error as Error).message}`
        : `The shop turned it away: ${(error as Error).message}. Ordered again it is the same order.`;
  }
}
