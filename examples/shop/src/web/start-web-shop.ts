import { faultyProxy } from '@trpc-once/faulty-network';
import { openAccount } from '../database/seed.js';
import { type ShopOptions, startShop } from '../server/start-shop.js';
import { badNetwork } from './bad-network.js';
import { networkHeader } from './network-modes.js';
import { staticFiles } from './static-files.js';

export interface WebShopOptions extends Pick<ShopOptions, 'stores' | 'onEvent'> {
  /** Where the built page lies. */
  readonly folder: string;
  /** @default 0: any free port */
  readonly port?: number;
}

export interface WebShop extends AsyncDisposable {
  /** Where the page is. */
  readonly url: string;
}

/** Who can sign in, and what they have to spend. */
const customers = [
  { id: 'ada', balanceCents: 100_000 },
  { id: 'ben', balanceCents: 100_000 },
] as const;

/** The shop with its page, behind a network that the page's switch can break. */
export async function startWebShop({ folder, port = 0, ...options }: WebShopOptions): Promise<WebShop> {
  const shop = await startShop({ ...options, page: staticFiles(folder) });
  try {
    for (const customer of customers) await openAccount(options.stores.db, customer);
    const network = await faultyProxy({
      upstreams: [shop.url],
      schedule: badNetwork,
      identityHeader: networkHeader,
      port,
    });
    return {
      url: network.url,
      async [Symbol.asyncDispose]() {
        await network.close();
        await shop.close();
      },
    };
  } catch (error) {
    await shop.close();
    throw error;
  }
}
