import { initTRPC } from '@trpc/server';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { createOnce } from '@trpc-once/server';
import { storesFromEnv } from '@trpc-once/server/embedded';
import { shop } from './contract.js';
import { createTables } from './schema.js';
import { type Context, createContext } from './session.js';

// #region readme
// server.ts — storesFromEnv is in @trpc-once/server/embedded; createTables, Context and createContext are yours
const stores = await storesFromEnv(); // those of DATABASE_URL and REDIS_URL, or embedded ones
const once = createOnce({
  records: stores.records, // Postgres decides
  claims: stores.claims, // Redis hints: may be lost, slow, or left out
  scope: (ctx: Context) => ctx.userId, // whose key it is
});
const t = initTRPC.context<Context>().create();
export const router = once.implement(
  shop,
  { procedure: t.procedure }, // your base, with your auth and rate limits
  {
    orders: {
      async place({ input, ctx, tx, errors }) {
        const take = 'UPDATE stock SET n = n - $2 WHERE sku = $1 AND n >= $2 RETURNING n';
        const taken = await tx.query(take, [input.sku, input.quantity]);
        if (taken.rows.length === 0) throw errors.OUT_OF_STOCK({ sku: input.sku });
        const order = 'INSERT INTO orders (buyer, sku) VALUES ($1, $2) RETURNING id';
        return (await tx.query(order, [ctx.userId, input.sku])).rows[0]; // settles with these writes, or not at all
      },
    },
  },
);
await once.migrate(); // the records' table
await createTables(stores.db);
createHTTPServer({
  router,
  createContext: once.context(createContext),
  responseMeta: once.responseMeta,
  onError: ({ path, error }) => console.error(path, error),
}).listen(process.env['PORT'] ?? 3000);
// #endregion
console.log(
  `${stores.description}\nThe quick start's server answers on port ${process.env['PORT'] ?? 3000}.`,
);
