import { type QueryClient, useMutation } from '@tanstack/react-query';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { idempotentMutation } from '@trpc-once/client/react';
import type { RouterOf } from '@trpc-once/contract';
import { client, type shop } from './client.js';

// #region readme
export function usePlaceOrderOf(queryClient: QueryClient, cartId: string) {
  const trpc = createTRPCOptionsProxy<RouterOf<typeof shop>>({ client, queryClient });
  return useMutation({
    ...trpc.orders.place.mutationOptions(),
    ...idempotentMutation(client.orders.place, { intent: () => `checkout:${cartId}` }), // behind it, or it is undone
  });
}
// #endregion
