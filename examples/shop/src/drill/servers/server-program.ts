/** One instance of the shop in a process of its own, over the stores that the environment names. */
import { storesFromEnv } from '@trpc-once/server/embedded';
import { startShop } from '../../server/start-shop.js';
import { type ServerEvent, serverEvent } from './answer-tally.js';

export type ServerMessage =
  | { readonly type: 'ready'; readonly url: string }
  | { readonly type: 'event'; readonly event: ServerEvent };

/** Written to the channel before this returns, so that a kill -9 a moment later takes nothing of it back. */
const tell = (message: ServerMessage): void => void process.send?.(message);

const stores = await storesFromEnv();
const shop = await startShop({
  stores,
  onEvent: (event) => tell({ type: 'event', event: serverEvent(event) }),
});
process.once('SIGTERM', async () => {
  await shop.close();
  await stores.close();
  process.disconnect();
});
tell({ type: 'ready', url: shop.url });
