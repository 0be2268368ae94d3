import { tcpProxy } from '@trpc-once/faulty-network';
import { type Shop, type ShopOptions, startShop } from '../../server/start-shop.js';
import { AnswerTally, serverEvent } from './answer-tally.js';
import type { Servers, ServersOptions } from './servers.js';
import { unhurried } from './unhurried.js';

/**
 * One server in this process, because embedded stores are for one process: it cannot be killed without the drill, so
 * its connections are, all at once and in the middle of what they carry.
 */
export async function embeddedServer(
  stores: ShopOptions['stores'],
  { moments, damage }: ServersOptions,
): Promise<Servers> {
  const tally = new AnswerTally();
  const shop = await startShop({
    stores: { ...stores, records: unhurried(stores.records) },
    onEvent: (event) => tally.count(serverEvent(event)),
  });
  const line = await tcpProxy({ upstream: { port: portOf(shop) } });
  const stop = async (): Promise<void> => {
    await shop.close();
    await line.close();
  };
  return {
    urls: [`http://${line.host}:${line.port}`],
    tally,
    actions: {
      'server-cut-off': async (afterMs) => {
        if (await moments.next(() => true, afterMs)) damage.connectionsCut += line.cut();
      },
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function portOf({ url }: Shop): number {
  return Number(new URL(url).port);
}
