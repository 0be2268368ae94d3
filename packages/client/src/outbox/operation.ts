import type { RetryPolicy } from '@trpc-once/contract';
import type { AgainReason } from '../attempts/classify.js';
import type { ParkReason } from '../errors/operation-parked-error.js';

/**
 * One idempotent mutation as the outbox keeps it. Key, path and body never change; the rest moves through these states:
 *
 * ```
 *   (new) ─► persisted ─► sending ⇄ waiting          (new): only in memory, nothing may be sent yet
 *                           │  ▲       │
 *                           │  └── parked ◄┘          parked, waiting: sent again by resume()
 *                           ├─► expired               never sent again; stays until dismissed
 *                           └─► settled ─► (delivered) (delivered): removed
 * ```
 *
 * `sending` is never stored: a record found in storage is in the state before it, and its key may have been sent since.
 */
export type OperationState = 'persisted' | 'sending' | 'waiting' | 'parked' | 'expired' | 'settled';

export type AttemptEnd = AgainReason | ParkReason | 'settled' | 'replayed' | 'declined' | 'expired';

/** What became of one attempt. */
export interface AttemptNote {
  /** Counted from 1 over the operation's whole life. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly ended: AttemptEnd;
  /** HTTP status, if there was an answer. */
  readonly status?: number;
}

export interface Operation {
  /** Of the record's form. */
  readonly version: 1;
  /** The idempotency key, sent with every attempt. */
  readonly key: string;
  /** Whose it is; `null` when nobody was signed in. Nothing is sent or listed for another owner. */
  readonly owner: string | null;
  /** The procedure, dotted: `orders.place`. */
  readonly path: string;
  /** The wire body, byte for byte; `null` for none. */
  readonly body: string | null;
  /** The app's own name for it, if its call gave one. */
  readonly intent?: string;
  /** As its call had it. */
  readonly retry: RetryPolicy;
  /** How old the key may become before asking again could run the operation again. */
  readonly retentionMs: number;
  /** Epoch milliseconds, as all times here. */
  readonly createdAt: number;
  /** When the first attempt began, or was about to when it was stored. The key's age counts from here. */
  readonly firstSentAt: number;
  readonly state: OperationState;
  /** Attempts begun, over its whole life. */
  readonly attempts: number;
  /** The latest {@link KEPT_NOTES} of them. */
  readonly notes: readonly AttemptNote[];
  /** Whether some attempt may have taken effect; always true of a record found in storage. */
  readonly mayHaveRun: boolean;
  /** Only while waiting. */
  readonly nextAttemptAt?: number;
  /** The server does not want to be asked before this. */
  readonly notBefore?: number;
  /** Only while parked. */
  readonly parked?: ParkReason;
  /** Once settled: the server's answer as it came. */
  readonly answer?: string;
}

/** An operation that polls for an hour would otherwise outgrow its storage. */
export const KEPT_NOTES = 20;

/** Names an operation in storage. Two owners may use the same key. */
export function operationId({ owner, key }: Pick<Operation, 'owner' | 'key'>): string {
  return JSON.stringify([owner, key]);
}

/** What never changes of an operation. */
export type OperationFacts = Pick<
  Operation,
  'key' | 'owner' | 'path' | 'body' | 'intent' | 'retry' | 'retentionMs'
>;

/** An operation that is about to be stored and sent. */
export function newOperation(facts: OperationFacts, now: number): Operation {
  return Object.freeze({
    version: 1,
    ...facts,
    createdAt: now,
    firstSentAt: now,
    state: 'persisted',
    attempts: 0,
    notes: Object.freeze([]),
    mayHaveRun: false,
  });
}
