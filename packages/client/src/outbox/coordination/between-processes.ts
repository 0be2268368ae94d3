import { idleClock } from '../../attempts/clock.js';
import type { Coordination, Coordinator } from './coordination.js';
import { leases } from './leases.js';

/** How often a process looks for what others did, where nothing tells it. */
const LOOK_MS = 3_000;

/** What the processes of one machine coordinate by: leases in the storage, and looking at it every 3 s. */
export const betweenProcesses: Coordinator = {
  over: (storage) => leases(storage, looking),
};

const looking: Pick<Coordination, 'carries' | 'tell' | 'hear'> = {
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
