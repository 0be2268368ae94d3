import type { ClientOptions } from '@trpc-once/client';
import { type ShopClient, type ShopClientOptions, shopClient } from '../../client/shop-client.js';

/** Names the operation to the network, which decides by it what befalls the attempt. Keys are random; these are not. */
export const identityHeader = 'x-drill-operation';

/** Impatient, so that a minute is enough: delays of the network go on for longer than an attempt may take. */
export const drillRetry = {
  maxAttempts: 8,
  minDelayMs: 50,
  maxDelayMs: 1_000,
  attemptTimeoutMs: 1_000,
  waitMs: 20_000,
} as const;

/** A client of the shop whose attempts the network can tell apart. */
export function drillClient(options: Omit<ShopClientOptions, 'fetch' | 'retry'>): ShopClient {
  return shopClient({ ...options, retry: drillRetry, fetch: namedFetch });
}

const namedFetch: NonNullable<ClientOptions['fetch']> = (url, init) => {
  const { reference = '' } = JSON.parse(String(init.body ?? '{}')) as { reference?: string };
  return fetch(url, { ...init, headers: { ...(init.headers as object), [identityHeader]: reference } });
};
