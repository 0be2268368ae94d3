import { initTRPC } from '@trpc/server';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { createOnce, postgresRecords, redisClaims } from '@trpc-once/server';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { shop } from './contract.js';
import { type Context, createContext } from './session.js';

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] });
const redis = new Redis(process.env['REDIS_URL'] ?? 'redis://localhost');

// #region readme
// server.ts — createOnce, postgresRecords, redisClaims from @trpc-once/server; createHTTPServer from
// @trpc/server/adapters/standalone; pool, redis, Context and createContext are yours
const once = createOnce({
  records: postgresRecords(pool), // decides
  claims: redisClaims(redis), // hints: may be lost, slow, or left out
  scope: (ctx: Context) => ctx.userId, // whose key it is
});
const t = initTRPC.context<Context>().create();
export const router = once.implement(
  shop,
  { procedure: t.procedure }, // your base, with your auth and rate limits
  {
    orders: {
      async place({ input, ctx, tx, errors }) {
        const take = 'UPDATE stock SET n = n - $2 WHERE sku = $1 AND n >= $2';
        const taken = await tx.query(take, [input.sku, input.quantity]);
        if (taken.rowCount === 0) throw errors.OUT_OF_STOCK({ sku: input.sku });
        const order = 'INSERT INTO orders (buyer, sku) VALUES ($1, $2) RETURNING id';
        return (await tx.query(order, [ctx.userId, input.sku])).rows[0]; // settles with these writes, or not at all
      },
    },
  },
);
await once.migrate();
createHTTPServer({
  router,
  createContext: once.context(createContext),
  responseMeta: once.responseMeta,
}).listen(process.env['PORT'] ?? 3000);
// #endregion
