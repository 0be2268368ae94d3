import type { WaitOptions } from './hand-over/waiters.js';
import type { OutboxEvent } from './operation/events.js';
import type { Operation } from './operation/operation.js';
import type { SignOutOptions, SignOutReport } from './sign-out.js';
import type { DamagedRecord } from './store/damaged-record.js';

/** What a resume came to. */
export interface ResumeReport {
  /** How many operations were found to have an outcome. */
  readonly settled: number;
  /** How many are still without one: parked, expired, or given up on for now. */
  readonly pending: number;
}

/** The operations of whoever is signed in, pending or waiting to be handed over. */
export interface Outbox {
  /** All of them, oldest first, as storage has them now. */
  list(): Promise<readonly Operation[]>;
  /** The same from memory: the same array until something changes, as React's `useSyncExternalStore` wants it. */
  snapshot(): readonly Operation[];
  /**
   * Hears of every change. What a listener throws is reported to the console and changes nothing.
   * @returns what ends it
   */
  subscribe(listener: (event: OutboxEvent) => void): () => void;
  /**
   * Asks again, with the same keys, for every operation that has no outcome, and hands over outcomes not yet told to
   * `onSettled`. Call it after signing in, when the device is online again, when the page is shown. An operation that is
   * being asked for already is not sent a second time, so calling it often does no harm.
   */
  resume(): Promise<ResumeReport>;
  /**
   * Asks again for one operation, and waits for its outcome as its call would have. One that its lane's failure halted goes
   * on, and the rest of its lane after it. One that was parked as `server-changed` is sent to this client's server from now
   * on, which does not know its key: where the first one may have run it, it may run once more.
   */
  resume(key: string, options?: WaitOptions): Promise<unknown>;
  /**
   * Waits for one operation's outcome, whoever finds it out; sends nothing.
   * @throws what its call would have thrown
   */
  wait(key: string, options?: WaitOptions): Promise<unknown>;
  /**
   * Forgets an operation that nobody asks for just now: parked, given up on for now, expired or settled. Nothing more is sent of it; whether it
   * took effect may then never be known here.
   * @throws Error when it is still being asked for
   */
  dismiss(key: string): Promise<void>;
  /**
   * Lets go of the owner's operations; call it before the session ends. Nothing more is sent for them: what waits is
   * stopped, attempts under way have `waitMs` to bring their outcome, and what is still open then is kept or purged.
   * @throws OutboxStorageError when storage refuses: then something of them is still in it
   * @example
   * ```ts
   * const { unknown } = await client.outbox.signOut({ pending: 'keep' });
   * if (unknown > 0) tell(`${unknown} orders may have gone through; we will know when you are back.`);
   * ```
   */
  signOut(options: SignOutOptions): Promise<SignOutReport>;
  /**
   * Stored records that could not be read when storage was last read, by whatever tab. They are left as they are: a newer
   * version of the app may know them, or the codec's key come back.
   */
  damaged(): readonly DamagedRecord[];
  /**
   * Removes one damaged record for good, as it was looked at in `damaged()`. It may be the only trace of an operation that
   * took effect.
   * @throws OutboxStorageError `not-damaged` when no record of this id is in `damaged()`, or when it has changed since or
   * is gone; otherwise as storage has it
   * @example
   * ```ts
   * await client.outbox.list();
   * for (const { id, text, reason } of client.outbox.damaged())
   *   if (await confirm(`${reason}: ${text}`)) await client.outbox.discard(id);
   * ```
   */
  discard(id: string): Promise<void>;
  /** Stops sending, ends every wait with `OutcomeUnknownError`, and lets go of the storage. Pending operations stay in it. */
  close(): Promise<void>;
}
