import type { Coordination } from '../outbox/coordination/coordination.js';
import { holdLease } from '../outbox/coordination/lease.js';
import { textStorage, type World } from './world.js';

/** How often a process looks for what others did. */
const LOOK_MS = 3_000;

/** What a process of a world coordinates by with the others: leases among the texts, and looking at them. */
export function amongProcesses({ texts, clock }: World, storage = textStorage(texts)): Coordination {
  return {
    carries: false,
    hold: (name, signal) => holdLease(storage, clock, name, signal),
    tell() {},
    hear(listener) {
      let callOff = () => {};
      const look = () => {
        callOff = clock.after(LOOK_MS, () => {
          listener(undefined);
          look();
        });
      };
      look();
      return () => callOff();
    },
  };
}
