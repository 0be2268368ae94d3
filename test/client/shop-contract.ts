import { defineContract, procedure } from '@trpc-once/contract';
import superjson from 'superjson';
import { z } from 'zod';

const PlaceOrder = z.object({
  sku: z.string(),
  quantity: z.number().optional(),
  note: z.string().nullable().optional(),
});
const Order = z.object({ orderId: z.string() });

/** What the client's tests call; the scripted server answers it without reading it. */
export const shop = defineContract({
  orders: {
    place: procedure
      .input(PlaceOrder)
      .output(Order)
      .errors({ OUT_OF_STOCK: { code: 'CONFLICT', data: z.object({ sku: z.string() }) } })
      .idempotent({ retry: { minDelayMs: 1, maxDelayMs: 4, attemptTimeoutMs: 2_000, waitMs: 20_000 } })
      .mutation(),
    byId: procedure.input(z.string()).output(Order).query(),
  },
  counter: {
    increment: procedure
      .output(z.number())
      .idempotent({ retry: { minDelayMs: 1, maxDelayMs: 4 } })
      .mutation(),
  },
  notes: { add: procedure.input(z.string()).output(z.string()).mutation() },
});

/** The same wire with what only a transformer can say. */
export const calendar = defineContract(
  {
    book: procedure
      .input(
        z.object({
          from: z.date(),
          tags: z.set(z.string()),
          seats: z.bigint(),
          by: z.map(z.string(), z.number()),
        }),
      )
      .output(z.object({ at: z.date(), seats: z.bigint() }))
      .idempotent({ retry: { minDelayMs: 1, maxDelayMs: 4 } })
      .mutation(),
  },
  { transformer: superjson },
);
