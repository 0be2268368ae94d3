import { initTRPC } from '@trpc/server';
import { defineContract, procedure } from '@trpc-once/contract';
import { createOnce, memoryClaims, type OnceEvent, postgresRecords } from '@trpc-once/server';
import { Pool } from 'pg';
import { z } from 'zod';

/** What docs/server.md shows, over the database that the test gives before it imports this. */
export const pool = new Pool({
  connectionString: process.env['DOCUMENTED_DATABASE'],
  connectionTimeoutMillis: 5_000,
});
const claims = memoryClaims();
export const told: OnceEvent[] = [];
const metrics = { count: (event: OnceEvent) => void told.push(event) };

export interface Context {
  readonly tenantId: string;
  readonly userId: string;
}
const t = initTRPC.context<Context>().create();
const shop = defineContract({
  orders: {
    place: procedure
      .input(z.object({ sku: z.string() }))
      .output(z.object({ id: z.number() }))
      .idempotent({ retentionMs: 7 * 86_400_000, leaseMs: 5_000 })
      .mutation(),
  },
});

// #region readme
export const once = createOnce({
  records: postgresRecords(pool),
  claims, // redisClaims(redis, { prefix: 'shop:' })
  scope: (ctx: Context) => [ctx.tenantId, ctx.userId],
  whenInProgress: { waitMs: 5_000 }, // a duplicate waits, before it is told 409
  onEvent: (event) => metrics.count(event), // in place of the log
});
export const router = once.implement(
  shop,
  { procedure: t.procedure, runTimeoutMs: { 'orders.place': 10_000 } },
  {
    orders: {
      async place({ input, ctx, tx, key, headers }) {
        const order = 'INSERT INTO orders (buyer, sku, key) VALUES ($1, $2, $3) RETURNING id';
        const { id } = (await tx.query(order, [ctx.userId, input.sku, key])).rows[0];
        headers.set('location', `/orders/${id}`); // replayed with the outcome
        return { id };
      },
    },
  },
);
// #endregion
