import type { OutboxEvent } from '../operation/events.js';
import type { Operation } from '../operation/operation.js';
import type { Parts } from '../parts.js';
import type { Hold } from './coordination.js';

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
  /** Whether this is the one that resumes by itself what somebody else left. */
  readonly leads: boolean;
  /** Waits until it is this one's turn to lead. */
  lead(): Promise<void>;
  /** Whether it only led until the page slept. */
  readonly lostLead: boolean;
  /** Leads no longer. */
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

/**
 * How those who have a storage at the same time keep out of each other's way; each storage names its own. Made here alone:
 * `alone`, `betweenTabs`, `betweenProcesses`, or `coordinatedBy()` for a coordination of an app's own.
 */
export interface Coordinator {
  /** For the outbox, in words of its own: {@link joinOthers}. */
  readonly join: (outbox: never) => unknown;
}

/** What a coordinator is in here. */
type Joining = (outbox: Parts) => Others;

export function coordinator(join: Joining): Coordinator {
  return { join };
}

/** An outbox comes to those who have its storage already. */
export function joinOthers({ join }: Coordinator, outbox: Parts): Others {
  return (join as Joining)(outbox);
}

const unwanted: Hold = { lost: false, release() {} };

const free: Holding = {
  valid: true,
  take: async () => false,
  takeAndLook: async (known) => known,
  look: async (known) => known,
  drop() {},
};

/** For a storage that nobody else can have: everything is free, and stays as it is known. */
export const alone: Coordinator = coordinator(({ storage }) => ({
  shared: false,
  newsMs: 0,
  leads: true,
  lead: async () => {},
  lostLead: false,
  leave() {},
  hold: async () => unwanted,
  enter: async () => unwanted,
  holding: () => free,
  async replace(id, _, text) {
    await storage.set(id, text);
    return true;
  },
  handedOver: (id) => storage.delete(id),
  // Left from when others had the storage too.
  foundHandedOver: (id) => void storage.delete(id).catch(() => {}),
  tell() {},
}));
