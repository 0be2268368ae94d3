import { type ClientOptions, createIdempotentClient, type IdempotentClient } from '@trpc-once/client';
import { shop } from '../contract.js';

export interface ShopClientOptions
  extends Pick<ClientOptions, 'url' | 'storage' | 'onSettled' | 'fetch' | 'retry'> {
  /** Who is signed in: the account that pays. */
  readonly accountId: string;
}

export type ShopClient = IdempotentClient<typeof shop>;

/** A client of the shop for one account, from Node. Every order is in `storage` before it is sent. */
export function shopClient({ accountId, ...options }: ShopClientOptions): ShopClient {
  return createIdempotentClient({
    contract: shop,
    ...options,
    owner: () => accountId,
    headers: { authorization: `Bearer ${accountId}` },
  });
}
