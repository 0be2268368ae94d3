import { within } from '../attempts/pause.js';
import { Latest } from './latest.js';
import { type Operation, operationId } from './operation.js';
import { type Outcome, outcomeOf } from './outcome.js';
import type { Parts } from './parts.js';
import type { Waiter } from './waiters.js';

/**
 * Hears of outcomes. The operation is kept until this returns (or the promise it returns is fulfilled), so it may hear of
 * one twice, never not at all. One that has not returned after 30 seconds counts as not having heard.
 */
export type OnSettled = (operation: Operation, outcome: Outcome) => void | Promise<void>;

/** A write to the app's own database takes a second at worst; what takes longer hangs, and must not hold up a resume. */
const TELL_MS = 30_000;

interface Remembered {
  readonly operation: Operation;
  readonly outcome: Outcome;
  readonly at: number;
}

/** How those who wait hear of it. */
export type Ending = (waiter: Waiter) => void;

/** Hands outcomes over, each to its callers, or else to `onSettled`; and remembers the latest. */
export class HandOver {
  readonly #outbox: Parts;
  /** Outcomes that a late `wait()` still finds after they were handed over. */
  readonly #remembered = new Latest<Remembered>();
  /** What onSettled was told; one that returns late has still heard. */
  readonly #telling = new Map<string, Promise<true>>();

  constructor(outbox: Parts) {
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

  /** Of one owner's intent, if it was handed over after `since`: to whoever called before that, it is theirs too. */
  rememberedSince(
    since: number,
    { owner, intent }: Pick<Operation, 'owner' | 'intent'>,
  ): Operation | undefined {
    const now = this.#outbox.clock.now();
    // What seems to be still to come was before the clock was set back.
    const all = [...this.#remembered.values()].filter(({ at }) => at > since && at <= now);
    return all.map(({ operation }) => operation).find((one) => one.owner === owner && one.intent === intent);
  }

  /** @param at when it was handed over, in epoch milliseconds */
  remember(operation: Operation, at = this.#outbox.clock.now()): Outcome | undefined {
    const outcome = outcomeOf(operation, this.#outbox.transformer);
    if (!outcome) return undefined;
    this.#remembered.set(operationId(operation), { operation, outcome, at });
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
    const told = (waiters.has(id) && !settledFirst) || (await this.#tell(operation, outcome));
    // A failure has stopped its lane before it may be forgotten.
    if (told || waiters.has(id)) await lanes.halt(operation);
    // Somebody may have begun to wait while onSettled was busy, or refused.
    const heard = told || waiters.has(id);
    // What onSettled alone may free is kept for it, though its callers have heard.
    if (heard && (told || !settledFirst)) {
      this.remember(operation);
      this.#telling.delete(id);
      void store.remove(operation, 'delivered');
    }
    end(heard ? endingOf(outcome) : () => {});
    return heard;
  }

  async #tell(operation: Operation, outcome: Outcome): Promise<boolean> {
    const { onSettled, listeners, clock, lastCall, owner } = this.#outbox;
    // What came for who is not signed in any more is kept for them; somebody else's app must not hear of it.
    if (!onSettled || owner() !== operation.owner) return false;
    const id = operationId(operation);
    const tell = async (): Promise<true> => {
      await onSettled(operation, outcome);
      return true;
    };
    const telling = this.#telling.get(id) ?? tell();
    this.#telling.set(id, telling);
    try {
      if (await within(TELL_MS, clock, lastCall, telling)) return true;
      throw new Error(`onSettled has not returned within ${TELL_MS} ms, or not before the outbox was closed`);
    } catch (error) {
      telling.catch(() => this.#telling.delete(id));
      listeners.tell({ type: 'undelivered', operation, error });
      return false;
    }
  }
}

export function endingOf(outcome: Outcome): Ending {
  return (waiter) => (outcome.ok ? waiter.resolve(outcome.data) : waiter.reject(outcome.error));
}
