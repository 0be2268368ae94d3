import { idleClock } from '../../attempts/clock.js';
import { isOutboxStorageError } from '../../errors/outbox-storage-error.js';
import type { Foundation } from '../foundation.js';
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
  return coordinator((outbox: HeldNeeds) => {
    readAgain(outbox);
    return { ...joinOthers(alone, outbox), holding: (id) => holding(id, held, outbox) };
  });
}

/** What it needs of the outbox. */
type HeldNeeds = HoldingNeeds & Pick<Foundation, 'closing'>;

/** How soon what could not be read is read again, and how rarely at last: it may be so for good. */
const AGAIN_MS = 3_000;
const RARELY_MS = 60_000;

/** What could not be read for a moment is found once it can, and asked for by time. */
function readAgain(outbox: HeldNeeds, delayMs = AGAIN_MS): void {
  const { store, closing } = outbox;
  if (closing.closed) return;
  const callOff = idleClock.after(delayMs, () => {
    off();
    const isDamaged = store.damaged.length > 0;
    const next = () => readAgain(outbox, isDamaged ? Math.min(2 * delayMs, RARELY_MS) : AGAIN_MS);
    if (isDamaged) store.load().then(next, next);
    else next();
  });
  const off = closing.on(callOff);
}

function holding(id: string, held: Held, { store, storage }: HeldNeeds): Holding {
  let { taken } = held;
  let isTold = true;
  const look = async (): Promise<Operation | undefined> => {
    await store.settled(id);
    const entry = await storage.get(id);
    if (!entry) return store.missing(id);
    const known = store.get(id);
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
