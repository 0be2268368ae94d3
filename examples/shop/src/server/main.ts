/** Serves the shop by itself: on PORT (3000, or a free one), with the stores that DATABASE_URL and REDIS_URL name, or embedded ones. */
import { storesFromEnv } from '@trpc-once/server/embedded';
import { begin } from '../begin.js';
import { openAccount } from '../database/seed.js';
import { startShop } from './start-shop.js';
import { mustBeFree, startAt, whereToServe } from './where-to-serve.js';

const say = (text: string): void => console.log(text);

await begin(async () => {
  const where = whereToServe(process.env);
  await mustBeFree(where);
  const stores = await storesFromEnv();
  const shop = await startAt({ ...where, say }, (port) => startShop({ stores, port }));
  await openAccount(stores.db, { id: 'ada', balanceCents: 100_000 });
  say(`${stores.description}\nThe shop answers at ${shop.url}; ada has 1000.00. Ctrl-C ends it.`);

  const stop = async (): Promise<void> => {
    await shop.close();
    await stores.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
});
