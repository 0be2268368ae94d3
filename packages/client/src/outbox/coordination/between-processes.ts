import { idleClock } from '../../attempts/clock.js';
import type { Coordinator } from '../others/coordinator.js';
import { coordinatedBy } from './coordinated-by.js';
import type { Coordination } from './coordination.js';
import { leases } from './leases.js';

/** How often a process looks for what others did, where nothing tells it. */
const LOOK_MS = 3_000;

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

/** What the processes of one machine coordinate by: leases in the storage, and looking at it every 3 s. */
export const betweenProcesses: Coordinator = coordinatedBy((storage) => leases(() => storage, looking));
