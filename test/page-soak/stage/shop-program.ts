/** The shop of `npm run shop`, page and all, as a process that can be killed: argv holds where the built page lies and its port. */
import { startWebShop } from '@trpc-once/example-shop';
import { storesFromEnv } from '@trpc-once/server/embedded';
import { parent } from '../../resources/parent.js';

const [folder, port] = process.argv.slice(2) as [string, string];
const stores = await storesFromEnv();
const shop = await startWebShop({ stores, folder, port: Number(port) });
process.once('SIGTERM', async () => {
  await shop[Symbol.asyncDispose]();
  await stores.close();
  process.exit();
});
parent.tell('ready', shop.url);
