import { isOutboxStorageError } from '../../errors/outbox-storage-error.js';
import type { Operation } from '../operation/operation.js';
import { alone } from '../others/alone.js';
import { type Coordinator, coordinator, joinOthers } from '../others/coordinator.js';
import type { Holding } from '../others/others.js';
import { decodeRecord } from '../store/record-codec.js';
import type { HoldingNeeds } from './shared-holding.js';

/** Something one process has to itself, for as long as nobody has taken it for dead. */
export interface Held {
  /** Whether somebody else may have it by now; told from the time, so that one who was stopped finds it so. */
  readonly lost: boolean;
  /** How often somebody else may have had it. */
  readonly taken: number;
  /** Looks, and takes it anew if it is free. @throws when somebody else has it */
  ensure(): Promise<void>;
}

/**
 * For a storage that one process has to itself: nobody else comes into question, as long as it does. Whether it does is
 * looked at before every attempt, by a holder that may have been stopped for so long that another one took over.
 */
export function whileHeld(held: Held): Coordinator {
  return coordinator((outbox: HoldingNeeds) => ({
    ...joinOthers(alone, outbox),
    holding: (id) => holding(id, held, outbox),
  }));
}

function holding(id: string, held: Held, { store, storage }: HoldingNeeds): Holding {
  let { taken } = held;
  let isTold = true;
  const look = async (): Promise<Operation | undefined> => {
    await store.settled(id);
    const entry = await storage.get(id);
    const known = store.get(id);
    if (!entry) {
      if (known) store.gone(known, 'gone');
      return undefined;
    }
    if (known && store.isStored(id, entry.text)) return known;
    const operation = decodeRecord(id, entry.text);
    store.found(operation, entry.text!);
    return operation;
  };
  const take = async (): Promise<boolean> => {
    isTold = await held.ensure().then(
      () => true,
      (error: unknown) => {
        if (isOutboxStorageError(error) && error.reason === 'in-use') throw error;
        // A disk that cannot be looked at now keeps nobody from asking for what it has kept.
        return false;
      },
    );
    const isMoved = taken !== held.taken;
    taken = held.taken;
    return isMoved;
  };
  return {
    get valid() {
      return !held.lost || !isTold;
    },
    take,
    takeAndLook: async (known) => ((await take()) ? look() : known),
    look,
    drop() {},
  };
}
