import { initTRPC } from '@trpc/server';
import { createOnce } from '@trpc-once/server';
import { storesFromEnv } from '@trpc-once/server/embedded';
import { z } from 'zod';
import { placeErrors, retentionMs } from './idempotent-paths.js';

const stores = await storesFromEnv();
export const once = createOnce({ ...stores, scope: (_: object) => 'ann' });
export const closeStores = () => stores.close();
await once.migrate();
await stores.db.query('CREATE TABLE IF NOT EXISTS orders (id int GENERATED ALWAYS AS IDENTITY, sku text)');

const PlaceOrder = z.object({ sku: z.string() });
const Order = z.object({ id: z.number() });
const t = initTRPC.context<object>().create();

// #region readme
// router.ts — yours; once is createOnce()'s, and the adapter has once.context(…) and once.responseMeta, as in the README
export const appRouter = t.router({
  orders: t.router({
    list: t.procedure.query(async () => (await stores.db.query('SELECT id, sku FROM orders')).rows),
    place: t.procedure
      .input(PlaceOrder)
      .use(once.idempotent({ t, errors: placeErrors, retentionMs })) // behind .input(), before .output()
      .output(Order)
      .mutation(async ({ input, ctx: { tx, errors } }) => {
        if (input.sku !== 'tea') throw errors.OUT_OF_STOCK({ sku: input.sku });
        return (await tx.query('INSERT INTO orders (sku) VALUES ($1) RETURNING id', [input.sku])).rows[0];
      }),
  }),
});
export type AppRouter = typeof appRouter;
// #endregion
