import type { OutboxEvent } from '../operation/events.js';
import type { Operation } from '../operation/operation.js';
import type { Hold } from './hold.js';

/**
 * A run's hold on its operation: taken before anything is read or sent for it, given up whenever it only waits, so that a
 * tab that sleeps through a backoff holds nobody up.
 */
export interface Holding {
  /** Whether it has it now. */
  readonly valid: boolean;
  /**
   * Waits for the hold, unless it has it.
   * @returns whether somebody else may have had it since
   */
  take(): Promise<boolean>;
  /** Takes it, and looks what became of the operation if somebody else may have had it. */
  takeAndLook(known: Operation): Promise<Operation | undefined>;
  /** The operation as storage has it; `undefined` when it is not there any more. */
  look(known: Operation): Promise<Operation | undefined>;
  drop(): void;
}

/** An outbox's dealings with the others over its storage: tabs, or processes. */
export interface Others {
  /** Whether there can be any. */
  readonly shared: boolean;
  /** How long the news of an outcome may take once its operation is gone from storage. */
  readonly newsMs: number;
  /** Whether this is the one that resumes by itself what somebody else left of the owner it leads for. */
  readonly leads: boolean;
  /** Waits until it is this one's turn to lead for an owner. @throws when it leaves, or the outbox closes, before that */
  lead(owner: string | null): Promise<void>;
  /** Whether it only led until the page slept. */
  readonly lostLead: boolean;
  /** Leads no longer, nor waits to. */
  leave(): void;
  /** Takes a name, however long it takes. @throws when the outbox closes */
  hold(name: string): Promise<Hold>;
  /**
   * Takes all names, in the order given, which has to be the same everywhere, so that no two wait for each other.
   * @throws when that takes too long, or `signal` is aborted, or the outbox closes
   */
  enter(names: readonly string[], signal?: AbortSignal | null): Promise<Hold>;
  holding(id: string, signal: AbortSignal): Holding;
  /** Stores a text in place of what was known to lie there. @returns `false` when nothing is there any more */
  replace(id: string, former: string | undefined, text: string): Promise<boolean>;
  /** Takes an operation out of storage whose outcome was handed over here. */
  handedOver(id: string, operation: Operation): Promise<void>;
  /** An operation was read whose outcome was handed over, by somebody else. */
  foundHandedOver(id: string, operation: Operation): void;
  /** Tells them of a step: when it happens, and `again` when storage has it, for those who read it in between. */
  tell(type: OutboxEvent['type'], operation: Operation, again?: true): void;
}
