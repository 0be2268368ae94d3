import type { Coordinator } from '../others/coordinator.js';

/** One stored record. */
export interface StoredEntry {
  /** What it was stored under; of a record that cannot be read, whatever names it. */
  readonly id: string;
  /** As it was stored; `undefined` when it is there and cannot be read. */
  readonly text: string | undefined;
  /** Why it cannot be used, if the storage knows: `text` is then what lies there, and not what was stored. */
  readonly reason?: string;
  /** Whether it could not be read this time, and may be another time: nobody knows what it is meanwhile. */
  readonly unread?: true;
}

/**
 * Where an outbox keeps its operations: text by id, nothing more, so that any key-value store can be one. Each record is
 * a row of its own, so that two processes or tabs never overwrite each other's changes to different operations. What the
 * texts say is the outbox's affair.
 *
 * Every method may be called at any time, also before an earlier call has ended; what concerns one id happens in the
 * order it was asked for.
 *
 * @throws OutboxStorageError from every method, when the storage refuses
 */
export interface OutboxStorage {
  /** For messages, and the same in all tabs and processes that share it: they find each other by it. */
  readonly name: string;
  /** Whether it outlives the process; decides whether a new client resumes by itself. */
  readonly durable: boolean;
  /**
   * How those who have it at the same time keep out of each other's way: `betweenTabs` for what all tabs of an origin
   * have, `betweenProcesses` for what processes share, `alone` only where nobody else can have it.
   */
  readonly coordination: Coordinator;
  /** All of them. One that cannot be read must not hide the others. */
  entries(): Promise<readonly StoredEntry[]>;
  /** One of them, as it is now; `undefined` when there is none. */
  get(id: string): Promise<StoredEntry | undefined>;
  /**
   * Stores or replaces. Resolves only once the text would survive the process's death, and is all or nothing: after a
   * rejection the former text is still there.
   */
  set(id: string, text: string): Promise<void>;
  /**
   * Stores `next` if exactly `former` is there now, in one step that nobody else's comes between; `former: undefined`
   * means that nothing is there, `next: undefined` deletes. A record that cannot be read equals nothing.
   * @returns whether it did; if not, nothing has changed
   */
  swap(id: string, former: string | undefined, next: string | undefined): Promise<boolean>;
  /** Takes every id that `entries()` gives, that of a record which cannot be read as well. Does nothing when there is none. */
  delete(id: string): Promise<void>;
  /** Gives up what the process holds of it. */
  close?(): Promise<void>;
}
