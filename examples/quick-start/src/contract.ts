// #region readme
// contract.ts — imported by both sides
import { defineContract, procedure } from '@trpc-once/contract';
import { z } from 'zod';

export const shop = defineContract({
  orders: {
    place: procedure
      .input(z.object({ sku: z.string(), quantity: z.int().positive() }))
      .output(z.object({ id: z.number() }))
      .errors({ OUT_OF_STOCK: { code: 'CONFLICT', data: z.object({ sku: z.string() }) } })
      .idempotent()
      .mutation(),
  },
});
// #endregion
