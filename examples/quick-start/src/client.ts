import { createIdempotentClient, indexedDbStorage, isOutcomeUnknown } from '@trpc-once/client';
import { isDeclaredError } from '@trpc-once/contract';
import { shop } from './contract.js';

// #region readme
// client.ts — isDeclaredError from @trpc-once/contract, the rest from @trpc-once/client
const client = createIdempotentClient({
  contract: shop,
  url: 'http://localhost:3000',
  owner: () => 'ann', // who is signed in
  storage: indexedDbStorage(), // every operation is on disk before its first byte leaves
  headers: () => ({ authorization: 'Bearer ann' }),
});

export async function checkOut(cartId: string): Promise<string> {
  try {
    const input = { sku: 'tea', quantity: 1 };
    const order = await client.orders.place.mutate(input, { intent: `checkout:${cartId}` });
    return `Order ${order.id} is placed.`;
  } catch (error) {
    if (isDeclaredError(error, shop.orders.place, 'OUT_OF_STOCK'))
      return `${error.data.declared.data.sku} is sold out.`;
    if (isOutcomeUnknown(error)) return 'No answer yet; your order is kept.'; // never "it failed"
    throw error;
  }
}
// #endregion
