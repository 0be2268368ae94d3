import { idleClock } from '../../attempts/clock.js';
import type { OutboxStorage } from '../store/storage.js';
import type { Coordination } from './coordination.js';

/**
 * By leases in a storage whose `swap` is one step for everybody, and news from wherever there are some.
 * @param place where the leases lie: the outbox's own storage, or one beside it
 */
export function leases(
  place: () => OutboxStorage | Promise<OutboxStorage>,
  news: Pick<Coordination, 'carries' | 'tell' | 'hear'>,
): Coordination {
  return {
    ...news,
    async hold(name, signal) {
      // Loaded when it is needed: most browsers never do.
      const { holdLease } = await import('./lease.js');
      return holdLease(await place(), idleClock, name, signal);
    },
  };
}
