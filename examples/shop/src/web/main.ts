/**
 * Builds the shop's page and serves it: on PORT (3000, or a free port where that is taken), with the stores that
 * DATABASE_URL and REDIS_URL name, or embedded ones. `npm run shop` starts this.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storesFromEnv } from '@trpc-once/server/embedded';
import { begin } from '../begin.js';
import { mustBeFree, startAt, whereToServe } from '../server/where-to-serve.js';
import { buildPage } from './build-page.js';
import { startWebShop } from './start-web-shop.js';

const say = (text: string): void => console.log(text);

await begin(async () => {
  const where = whereToServe(process.env);
  await mustBeFree(where);
  say('Opening the stores and building the page: some seconds …');
  const folder = await mkdtemp(join(tmpdir(), 'trpc-once-shop-'));
  const [stores] = await Promise.all([storesFromEnv(), buildPage(folder)]);
  const shop = await startAt({ ...where, say }, (port) => startWebShop({ stores, folder, port }));
  say(`${stores.description}\nThe shop is open at ${shop.url} – Ctrl-C closes it.`);

  const stop = async (): Promise<void> => {
    await shop[Symbol.asyncDispose]();
    await stores.close();
    await rm(folder, { recursive: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
});
