import { createIdempotentClient, memoryStorage } from '@trpc-once/client';
import { defineContract, procedure } from '@trpc-once/contract';
import { z } from 'zod';

export const shop = defineContract({
  orders: {
    place: procedure
      .input(z.object({ sku: z.string(), quantity: z.int().positive() }))
      .output(z.object({ id: z.number() }))
      .errors({ OUT_OF_STOCK: { code: 'CONFLICT', data: z.object({ sku: z.string() }) } })
      .idempotent({ retry: { maxAttempts: 2, minDelayMs: 1, maxDelayMs: 2 } })
      .mutation(),
  },
});

/** For what the docs show: at the address that the test gives before it imports this. */
export const client = createIdempotentClient({
  contract: shop,
  url: process.env['DOCUMENTED_SHOP'] ?? '',
  owner: () => 'ann',
  storage: memoryStorage(),
});
