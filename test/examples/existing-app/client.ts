import { createTRPCClient, httpBatchLink } from '@trpc/client';
import { idempotencyLink, idempotent, isOutcomeUnknown, memoryStorage } from '@trpc-once/client';
import { isDeclaredError } from '@trpc-once/contract';
import { idempotentPaths } from './idempotent-paths.js';
import type { AppRouter } from './router.js';

const url = process.env['EXISTING_APP'] ?? '';
const owner = (): string => 'ann';
const headers = (): Record<string, string> => ({});
const storage = memoryStorage();

// #region readme
// client.ts — storage is indexedDbStorage(), say
export const link = idempotencyLink({ contract: idempotentPaths, url, owner, storage, headers });
export const trpc = createTRPCClient<AppRouter>({ links: [link, httpBatchLink({ url, headers })] });

export async function checkOut(cart: { readonly id: string; readonly sku: string }): Promise<string> {
  try {
    const input = { sku: cart.sku };
    const order = await trpc.orders.place.mutate(input, idempotent({ intent: `checkout:${cart.id}` }));
    return `Order ${order.id} is placed.`;
  } catch (error) {
    if (isDeclaredError(error, idempotentPaths.orders.place, 'OUT_OF_STOCK'))
      return `${error.data.declared.data.sku} is sold out.`;
    if (isOutcomeUnknown(error)) return 'No answer yet; your order is kept.';
    throw error;
  }
}
// #endregion
