import type { AddressInfo } from 'node:net';
import { initTRPC } from '@trpc/server';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { createOnce, postgresRecords, redisClaims } from '@trpc-once/server';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { shop } from './contract.js';

/** One server instance. Its parent tells it when to sweep, and hears how many records went. */

const { DATABASE_URL, REDIS_URL, SHARE, BATCH } = process.env;
const pool = new Pool({ connectionString: DATABASE_URL, pipeline: true, max: 10 } as object);
let swept = 0;
const once = createOnce({
  records: postgresRecords(pool),
  ...(REDIS_URL && { claims: redisClaims(new Redis(REDIS_URL)) }),
  scope: () => 'ann',
  sweep: { everyMs: 1_000, ...(SHARE && { share: Number(SHARE) }), ...(BATCH && { batch: Number(BATCH) }) },
  onEvent: (event) => {
    if (event.type === 'swept') swept += event.expired;
    if (event.type === 'records-failed') console.error(event.error);
  },
});
const t = initTRPC.create();
const router = once.implement(
  shop,
  { procedure: t.procedure },
  {
    async place({ input, tx }) {
      const insert = 'INSERT INTO orders (sku, quantity) VALUES ($1, $2) RETURNING id';
      return (await tx.query(insert, [input.sku, input.quantity])).rows[0];
    },
  },
);
const server = createHTTPServer({ router, createContext: once.context(), responseMeta: once.responseMeta });
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on('message', async (order) => {
  if (order === 'sweep') once.sweeper.start();
  else await once.sweeper.stop();
  process.send?.({ swept });
});
// Its parent is gone, however that ended.
process.on('disconnect', () => process.exit());
