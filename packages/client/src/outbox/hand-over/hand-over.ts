import { Bell } from '../../attempts/bell.js';
import { pause, within } from '../../attempts/pause.js';
import type { Foundation } from '../foundation.js';
import { type Operation, operationId, wasDeclined } from '../operation/operation.js';
import { type Outcome, outcomeOf } from '../operation/outcome.js';
import { sameBody } from '../operation/same-body.js';
import type { Others } from '../others/others.js';
import type { StoredOperations } from '../store/stored-operations.js';
import { Latest } from './latest.js';
import type { Waiter, Waiters } from './waiters.js';

/** A write to the app's own database takes a second at worst; what takes longer hangs, and must not hold up a resume. */
const TELL_MS = 30_000;

/** The server has the key, and for something else. */
const MISMATCH = 422;

interface Remembered {
  readonly operation: Operation;
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

/** What a call and an operation have in common that mean the same. */
type Meant = Pick<Operation, 'path' | 'body'> & { readonly intent?: string | undefined };

/** How those who wait hear of it. */
export type Ending = (waiter: Pick<Waiter, 'resolve' | 'reject'>) => void;

/** What it needs of the outbox. */
export interface HandOverNeeds extends Foundation {
  readonly waiters: Waiters;
  readonly store: Pick<StoredOperations, 'remove'>;
  readonly others: Pick<Others, 'newsMs'>;
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

  /** How whoever asks for an operation hears that was handed over lately, here or elsewhere. */
  remembered(id: string): Ending | undefined {
    const remembered = this.#remembered.get(id);
    return remembered && this.#endingOf(remembered.operation);
  }

  /** The same of just this operation, and of none that had its key before; remembered, if it has an outcome of its own. */
  endingOf(operation: Operation): Ending | undefined {
    return this.isRemembered(operation) || this.remember(operation)
      ? this.remembered(operationId(operation))
      : undefined;
  }

  isRemembered(operation: Operation): boolean {
    return this.#remembered.get(operationId(operation))?.operation.createdAt === operation.createdAt;
  }

  /** Everybody hears the same, each in an object of their own: what one caller does to it is nobody else's business. */
  #endingOf(operation: Operation): Ending {
    return (waiter) => {
      const outcome = outcomeOf(operation, this.#outbox.transformer)!;
      if (outcome.ok) waiter.resolve(outcome.data);
      else waiter.reject(outcome.error);
    };
  }

  mark(): Mark {
    return { order: ++this.#order, at: this.#outbox.clock.now() };
  }

  /**
   * What one owner meant by the same, if it was handed over after `since`: to whoever called before that, it is theirs too. By the
   * order in which this process heard, since clocks can be as coarse as 100 ms; by the clock only what another process
   * did, and then what may have been before is taken for after: it was the same intent in the same blink.
   */
  rememberedSince(since: Mark, owner: string | null, meant: Meant): Operation | undefined {
    const now = this.#outbox.clock.now();
    // What seems to be still to come was before the clock was set back.
    const all = [...this.#remembered.values()].filter(
      ({ order, at = now }) => order > since.order && at >= since.at && at <= now,
    );
    return all.map(({ operation }) => operation).find((one) => this.#means(one, owner, meant));
  }

  #means(one: Operation, owner: string | null, { intent, path, body }: Meant): boolean {
    return (
      one.intent === intent &&
      one.owner === owner &&
      one.path === path &&
      sameBody(body, one.body, this.#outbox.transformer)
    );
  }

  /**
   * What was turned away, of this intent, path and body, in front of the claim: nobody looked whether it had run, and a
   * platform may have sent it twice. Whoever means it again asks under its key. Not so a key that the server refused.
   * @param dropped one that nobody was told of
   */
  turnedAway(owner: string | null, meant: Meant, dropped: readonly Operation[]): Operation | undefined {
    const now = this.#outbox.clock.now();
    return [...[...this.#remembered.values()].map(({ operation }) => operation), ...dropped]
      .filter(
        (one) =>
          wasDeclined(one) &&
          this.#means(one, owner, meant) &&
          one.notes.at(-1)?.status !== MISMATCH &&
          now - one.createdAt < one.retentionMs,
      )
      .at(-1);
  }

  /** What became of an operation that is gone from storage: once somebody has told it, or would have by now. */
  async newsOf(operation: Operation): Promise<Operation> {
    const { listeners, others, clock, closing } = this.#outbox;
    const id = operationId(operation);
    const bell = new Bell();
    const off = listeners.add((event) => {
      if (event.type === 'delivered' && operationId(event.operation) === id) bell.ring();
    });
    if (!this.isRemembered(operation)) await pause(others.newsMs, clock, closing, bell);
    off();
    return this.#remembered.get(id)?.operation ?? operation;
  }

  /**
   * @param at when another process handed it over, in epoch milliseconds
   * @returns whether it has an outcome
   */
  remember(operation: Operation, at?: number): boolean {
    if (!outcomeOf(operation, this.#outbox.transformer)) return false;
    this.#remembered.set(operationId(operation), { operation, at, order: ++this.#order });
    return true;
  }

  /**
   * Hands a settled operation over and removes it. `end` is called in the tick in which it is gone, so that the very next
   * call with its intent is a new operation.
   * @returns whether it was handed over; `undefined` for an answer that cannot be decoded
   */
  async deliver(operation: Operation, end: (how: Ending) => void): Promise<boolean | undefined> {
    const { store, waiters, transformer, onSettled } = this.#outbox;
    const settledFirst = this.#outbox.settledFirst && onSettled !== undefined;
    const id = operationId(operation);
    const outcome = outcomeOf(operation, transformer);
    if (!outcome) return undefined;
    const hasHeard = () => waiters.has(id) || this.isRemembered(operation);
    const told = (!settledFirst && hasHeard()) || (await this.#tell(operation, outcome));
    // Somebody may have asked while onSettled was busy, or refused.
    const heard = told || hasHeard();
    // What onSettled alone may free is kept for it, though its callers have heard.
    if (heard && (told || !settledFirst)) {
      this.remember(operation);
      this.#telling.delete(telling(operation));
      void store.remove(operation, 'delivered');
    }
    end(heard ? this.#endingOf(operation) : () => {});
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
