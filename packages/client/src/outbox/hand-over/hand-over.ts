import { Bell } from '../../attempts/bell.js';
import { pause, within } from '../../attempts/pause.js';
import type { Foundation } from '../foundation.js';
import { type Operation, operationId } from '../operation/operation.js';
import { type Outcome, outcomeOf } from '../operation/outcome.js';
import type { Others } from '../others/others.js';
import type { StoredOperations } from '../store/stored-operations.js';
import { Latest } from './latest.js';
import type { Waiter, Waiters } from './waiters.js';

/** A write to the app's own database takes a second at worst; what takes longer hangs, and must not hold up a resume. */
const TELL_MS = 30_000;

interface Remembered {
  readonly operation: Operation;
  readonly outcome: Outcome;
  /** In what order this process heard of them. */
  readonly order: number;
  /** When it was handed over, if somebody else did and said so. */
  readonly at: number | undefined;
}

/** A moment, to tell later what came after it. */
export interface Mark {
  readonly order: number;
  readonly at: number;
}

/** How those who wait hear of it. */
export type Ending = (waiter: Waiter) => void;

/** What it needs of the outbox. */
export interface HandOverNeeds extends Foundation {
  readonly waiters: Waiters;
  readonly store: Pick<StoredOperations, 'remove'>;
  readonly others: Pick<Others, 'newsMs'>;
  readonly lanes: {
    halt(failed: Operation): Promise<void>;
    leaves(operation: Operation): void;
  };
}

/** Hands outcomes over, each to its callers, or else to `onSettled`; and remembers the latest. */
export class HandOver {
  readonly #outbox: HandOverNeeds;
  /** Outcomes that a late `wait()` still finds after they were handed over. */
  readonly #remembered = new Latest<Remembered>();
  #order = 0;
  /** What onSettled was told, by {@link telling}; one that returns late has still heard. */
  readonly #telling = new Map<string, Promise<true>>();
  readonly #busy = new Set<string>();

  constructor(outbox: HandOverNeeds) {
    this.#outbox = outbox;
  }

  /** The outcome of an operation handed over lately, here or elsewhere. */
  remembered(id: string): Outcome | undefined {
    return this.#remembered.get(id)?.outcome;
  }

  /** The outcome of just this operation, and of none that had its key before; remembered, if it has one of its own. */
  outcomeOf(operation: Operation): Outcome | undefined {
    const remembered = this.#remembered.get(operationId(operation));
    if (remembered?.operation.createdAt === operation.createdAt) return remembered.outcome;
    return this.remember(operation);
  }

  mark(): Mark {
    return { order: this.#order, at: this.#outbox.clock.now() };
  }

  /**
   * Of one owner's intent, if it was handed over after `since`: to whoever called before that, it is theirs too. By the
   * order in which this process heard, since clocks can be as coarse as 100 ms; by the clock only what another process
   * did, and then what may have been before is taken for after: it was the same intent in the same blink.
   */
  rememberedSince(
    since: Mark,
    { owner, intent }: Pick<Operation, 'owner' | 'intent'>,
  ): Operation | undefined {
    const now = this.#outbox.clock.now();
    // What seems to be still to come was before the clock was set back.
    const all = [...this.#remembered.values()].filter(
      ({ order, at = now }) => order > since.order && at >= since.at && at <= now,
    );
    return all.map(({ operation }) => operation).find((one) => one.owner === owner && one.intent === intent);
  }

  /** When somebody has told what became of an operation that is gone from storage, or would have by now. */
  async newsOf(operation: Operation): Promise<void> {
    const { listeners, others, clock, closing } = this.#outbox;
    const id = operationId(operation);
    const bell = new Bell();
    const off = listeners.add((event) => {
      if (event.type === 'delivered' && operationId(event.operation) === id) bell.ring();
    });
    if (this.#remembered.get(id)?.operation.createdAt !== operation.createdAt)
      await pause(others.newsMs, clock, closing, bell);
    off();
  }

  /** @param at when another process handed it over, in epoch milliseconds */
  remember(operation: Operation, at?: number): Outcome | undefined {
    const outcome = outcomeOf(operation, this.#outbox.transformer);
    if (!outcome) return undefined;
    this.#remembered.set(operationId(operation), { operation, outcome, at, order: ++this.#order });
    return outcome;
  }

  /**
   * Hands a settled operation over and removes it. `end` is called in the tick in which it is gone, so that the very next
   * call with its intent is a new operation.
   * @returns whether it was handed over; `undefined` for an answer that cannot be decoded
   */
  async deliver(operation: Operation, end: (how: Ending) => void): Promise<boolean | undefined> {
    const { store, waiters, lanes, transformer, onSettled } = this.#outbox;
    const settledFirst = this.#outbox.settledFirst && onSettled !== undefined;
    const id = operationId(operation);
    const outcome = outcomeOf(operation, transformer);
    if (!outcome) return undefined;
    // A failure has stopped its lane before it may be forgotten. Before anybody counts as told, too: a caller may leave
    // meanwhile.
    await lanes.halt(operation);
    const told = (waiters.has(id) && !settledFirst) || (await this.#tell(operation, outcome));
    // Somebody may have begun to wait while onSettled was busy, or refused.
    const heard = told || waiters.has(id);
    // What onSettled alone may free is kept for it, though its callers have heard.
    if (heard && (told || !settledFirst)) {
      this.remember(operation);
      lanes.leaves(operation);
      this.#telling.delete(telling(operation));
      void store.remove(operation, 'delivered');
    }
    end(heard ? endingOf(outcome) : () => {});
    return heard;
  }

  /** Whether onSettled is at it just now. */
  isTelling(operation: Operation): boolean {
    return this.#busy.has(telling(operation));
  }

  async #tell(operation: Operation, outcome: Outcome): Promise<boolean> {
    const { onSettled, listeners, clock, lastCall, owner } = this.#outbox;
    // What came for who is not signed in any more is kept for them; somebody else's app must not hear of it.
    if (!onSettled || owner() !== operation.owner) return false;
    const id = telling(operation);
    const tell = async (): Promise<true> => {
      this.#busy.add(id);
      try {
        await onSettled(operation, outcome);
      } finally {
        this.#busy.delete(id);
      }
      return true;
    };
    const hearing = this.#telling.get(id) ?? tell();
    this.#telling.set(id, hearing);
    try {
      if (await within(TELL_MS, clock, lastCall, hearing)) return true;
      throw new Error(`onSettled has not returned within ${TELL_MS} ms, or not before the outbox was closed`);
    } catch (error) {
      hearing.catch(() => this.#telling.delete(id));
      listeners.tell({ type: 'undelivered', operation, error });
      return false;
    }
  }
}

/** Names one operation, and none that had its key before. */
function telling(operation: Operation): string {
  return `${operation.createdAt} ${operationId(operation)}`;
}

export function endingOf(outcome: Outcome): Ending {
  return (waiter) => (outcome.ok ? waiter.resolve(outcome.data) : waiter.reject(outcome.error));
}
