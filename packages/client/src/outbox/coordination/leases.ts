import { idleClock } from '../../attempts/clock.js';
import type { OutboxStorage } from '../storage.js';
import type { Coordination } from './coordination.js';

/** By leases in the storage, and news from wherever there are some. */
export function leases(
  storage: OutboxStorage,
  news: Pick<Coordination, 'carries' | 'tell' | 'hear'>,
): Coordination {
  return {
    ...news,
    async hold(name, signal) {
      // Loaded when it is needed: most browsers never do.
      const { holdLease } = await import('./lease.js');
      return holdLease(storage, idleClock, name, signal);
    },
  };
}
