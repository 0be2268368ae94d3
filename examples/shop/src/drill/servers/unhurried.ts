import { setTimeout as delay } from 'node:timers/promises';
import type { ShopOptions } from '../../server/start-shop.js';

type Records = ShopOptions['stores']['records'];

/** What a transaction over a network takes, and what makes attempts of one operation meet. */
const MOST_MS = 20;

/**
 * Makes every transaction take some time before its handler runs. PGlite answers without ever giving the event loop a
 * turn, so that without this no two attempts would ever be under way together, and nothing would be in progress.
 */
export function unhurried(records: Records): Records {
  return {
    ...records,
    transact: (draft, work) =>
      records.transact(draft, async (tx) => {
        await delay(Math.random() * MOST_MS);
        return work(tx);
      }),
  };
}
