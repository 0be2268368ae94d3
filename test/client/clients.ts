import { type ClientOptions, createIdempotentClient, memoryStorage } from '@trpc-once/client';
import { shop } from './shop-contract.js';

/** A client of the shop for one signed-in user, over memory unless said otherwise. */
export function shopClient(url: string, options: Partial<ClientOptions> = {}) {
  return createIdempotentClient({
    contract: shop,
    url,
    owner: () => 'ann',
    storage: memoryStorage(),
    ...options,
  });
}
