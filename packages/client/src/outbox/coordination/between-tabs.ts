import type { Coordinator } from '../others/coordinator.js';
import type { OutboxStorage } from '../store/storage.js';
import { channelNews } from './channel-news.js';
import { coordinatedBy } from './coordinated-by.js';
import { leases } from './leases.js';
import { webLocks } from './web-locks.js';

/**
 * What the tabs and workers of a browser coordinate by; whichever of them this runtime has:
 *
 * | where | by |
 * |---|---|
 * | browsers and their workers | Web Locks and BroadcastChannel |
 * | browsers without Web Locks (old ones, pages not served by https) | leases in the storage or beside it, BroadcastChannel if there is one |
 * | anything else: nobody shares a browser's storage there | nothing |
 */
export const betweenTabs: Coordinator = betweenTabsWithLeasesIn((storage) => storage);

/** The same, with the leases beside a storage whose own `swap` is not one step between tabs. */
export function betweenTabsWithLeasesIn(
  place: (storage: OutboxStorage) => OutboxStorage | Promise<OutboxStorage>,
): Coordinator {
  return coordinatedBy((storage) => {
    const name = `trpc-once ${storage.name}`;
    const locks = globalThis.navigator?.locks;
    if (locks) return webLocks(name, locks);
    const isBrowser = 'document' in globalThis || 'WorkerGlobalScope' in globalThis;
    if (!isBrowser) return undefined;
    return leases(() => place(storage), channelNews(name));
  });
}
