import { useMutation } from '@tanstack/react-query';
import { isOutcomeUnknown } from '@trpc-once/client';
import { idempotentMutation } from '@trpc-once/client/react';
import { client } from './client.js';

// #region readme
interface Cart {
  readonly id: string;
  readonly sku: string;
  readonly quantity: number;
}

export function usePlaceOrder(tell: (text: string) => void) {
  return useMutation({
    ...idempotentMutation(client.orders.place, {
      intent: (cart: Cart) => `checkout:${cart.id}`,
      input: ({ sku, quantity }: Cart) => ({ sku, quantity }),
    }),
    onSuccess: (order) => tell(`Order ${order.id} is placed.`),
    onError: (error) => tell(isOutcomeUnknown(error) ? 'No answer yet; it is kept.' : error.message),
  });
}
// #endregion
