import type { OutboxStorage } from '../storage.js';
import { channelNews } from './channel-news.js';
import { alone, type Coordination } from './coordination.js';
import { idleClock } from './idle-clock.js';
import { webLocks } from './web-locks.js';

/** How often a process looks for what others did, where nothing tells it. */
const LOOK_MS = 3_000;

/**
 * What this runtime has to coordinate by:
 *
 * | where | by |
 * |---|---|
 * | a storage that dies with the process | nothing: nobody shares it |
 * | a storage that processes share | leases in it, and looking at it every 3 s |
 * | browsers and their workers | Web Locks and BroadcastChannel |
 * | browsers without Web Locks (old ones, pages not served by https) | leases in the storage, BroadcastChannel if there is one |
 * | anything else: React Native, Node over another storage | nothing |
 */
export function detectCoordination(storage: OutboxStorage): Coordination {
  const name = `trpc-once ${storage.name}`;
  if (!storage.durable) return alone;
  if (storage.sharedBy === 'processes') return leases(storage, looking);
  const locks = globalThis.navigator?.locks;
  if (locks) return webLocks(name, locks);
  return typeof document === 'undefined' ? alone : leases(storage, channelNews(name));
}

type NewsOf = Pick<Coordination, 'carries' | 'tell' | 'hear'>;

const looking: NewsOf = {
  carries: false,
  tell() {},
  hear(listener) {
    let callOff = () => {};
    const look = () => {
      callOff = idleClock.after(LOOK_MS, () => {
        listener(undefined);
        look();
      });
    };
    look();
    return () => callOff();
  },
};

/** Loaded when it is needed: most browsers never do. */
function leases(storage: OutboxStorage, news: NewsOf): Coordination {
  return {
    shared: true,
    ...news,
    async hold(name, signal) {
      const { holdLease } = await import('./lease.js');
      return holdLease(storage, idleClock, name, signal);
    },
  };
}
