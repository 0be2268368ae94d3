/** Serves the shop by itself: on PORT (3000), with the stores that DATABASE_URL and REDIS_URL name, or embedded ones. */
import { storesFromEnv } from '@trpc-once/server/embedded';
import { openAccount } from '../database/seed.js';
import { startShop } from './start-shop.js';

const stores = await storesFromEnv();
const shop = await startShop({ stores, port: Number(process.env['PORT'] ?? 3000) });
await openAccount(stores.db, { id: 'ada', balanceCents: 100_000 });
console.log(`${stores.description}\nThe shop answers at ${shop.url}; ada has 1000.00. Ctrl-C ends it.`);

const stop = async (): Promise<void> => {
  await shop.close();
  await stores.close();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
