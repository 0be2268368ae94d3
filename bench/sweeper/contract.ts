import { defineContract, procedure } from '@trpc-once/contract';
import { z } from 'zod';

/** One small operation: a row of business data a call. */
export const shop = defineContract({
  place: procedure
    .input(z.object({ sku: z.string(), quantity: z.int().positive() }))
    .output(z.object({ id: z.number() }))
    .idempotent()
    .mutation(),
});
