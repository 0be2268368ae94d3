import type { Hold } from '../others/hold.js';
import { channelNews } from './channel-news.js';
import type { Coordination } from './coordination.js';

/**
 * Tabs, by Web Locks: the browser keeps who waits in order, and frees what a tab held that is closed or crashes. What a
 * page holds is given up when it is frozen, since a frozen page may never wake; it finds out when it does.
 *
 * @see https://www.w3.org/TR/web-locks/
 */
export function webLocks(outbox: string, locks: Pick<LockManager, 'request'>): Coordination {
  const held = new Set<() => void>();
  const loseAll = () => {
    for (const lose of held) lose();
  };
  globalThis.document?.addEventListener('freeze', loseAll);
  // A page that holds anything could not go into the back/forward cache.
  if (globalThis.document) globalThis.addEventListener?.('pagehide', loseAll);
  return {
    ...channelNews(outbox),
    hold: (name, signal) =>
      new Promise((resolve, reject) => {
        const taken = () =>
          new Promise<void>((free) => {
            const hold: { -readonly [K in keyof Hold]: Hold[K] } = {
              lost: false,
              release() {
                held.delete(lose);
                free();
              },
            };
            const lose = () => {
              hold.lost = true;
              hold.release();
            };
            held.add(lose);
            resolve(hold);
          });
        locks.request(`${outbox} ${name}`, { signal }, taken).catch(reject);
      }),
  };
}
