import type { RetryPolicy } from '@trpc-once/contract';
import type { AgainReason } from '../../attempts/classify.js';
import type { ParkReason } from '../../errors/operation-parked-error.js';

/**
 * One idempotent mutation as the outbox keeps it. Key, path and body never change; the rest moves through these states:
 *
 * ```
 *   (new) ─► persisted ─► sending ⇄ waiting           (new): only in memory, nothing may be sent yet
 *                │           │  ▲      │
 *                └► parked ◄─┤  └──────┤             parked: until somebody signs in, the server is reconciled, the app
 *                     │      ├─► settled ─► (delivered)      is updated, a long wait is over, its lane goes on
 *                     └──────┴─► expired               (delivered): handed over to a caller or to onSettled, and removed
 * ```
 *
 * `waiting` and `parked` are left for `sending` again, under the same key. `expired` is never sent again; it stays until it
 * is dismissed. `settled` and `expired` are final.
 *
 * Only the one who has the hold on an operation (see coordination/) sends it or moves it on. `sending` is never stored: a
 * record found in storage is in the state before it, and its key may have been sent since. So whoever is killed, at
 * whatever await, leaves either the record as it was before the attempt, or the outcome. Only of one that is waiting or
 * parked and says that nothing of it has left is that certain: it is stored as persisted again before it is sent.
 *
 * | killed | what is in storage | what the next one does |
 * |---|---|---|
 * | before the insert is written | nothing | nothing: not a byte has left |
 * | up to the answer | the record, persisted or waiting | sends the same bytes with the same key |
 * | between the answer and its write | the same | the same; the server replays |
 * | between that write and the hand-over | settled, with the answer | hands it over, sends nothing |
 * | after the hand-over, before the removal | the same | hands it over once more |
 */
export type OperationState = 'persisted' | 'sending' | 'waiting' | 'parked' | 'expired' | 'settled';

/** Whether the operations behind a failed one in its lane are parked (`halt`) or run all the same. */
export type OnFailure = 'halt' | 'continue';

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
  /**
   * Where its key was made for, and the only place it is sent to by itself: the client's URL, absolute, without its query.
   * A record from before this was kept has none, and is sent where its client sends.
   */
  readonly server?: string;
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
  /** Whether some attempt may have taken effect; true of a record found in storage, but where it is certain that none left. */
  readonly mayHaveRun: boolean;
  /** Only while waiting. */
  readonly nextAttemptAt?: number;
  /** The server does not want to be asked before this. */
  readonly notBefore?: number;
  /** Only while parked. */
  readonly parked?: ParkReason;
  /** Once settled: the server's answer as it came. */
  readonly answer?: string;
  /** When it was handed over, of a record that is still there for those who wait for it elsewhere. */
  readonly deliveredAt?: number;
  /** What it is in line with: operations of one owner's lane run in the order of their calls, one at a time. */
  readonly lane?: string;
  /** Its place in its lane. */
  readonly place?: number;
  /** What its failure does to those behind it in its lane. */
  readonly onFailure?: OnFailure;
}

/** An operation that polls for an hour would otherwise outgrow its storage. */
export const KEPT_NOTES = 20;

/** Names an operation in storage. Two owners may use the same key. */
export function operationId({ owner, key }: Pick<Operation, 'owner' | 'key'>): string {
  return JSON.stringify([owner, key]);
}

/** Names a lane, and what is held while it is looked at and changed. */
export function laneName({ owner, lane }: Partial<Pick<Operation, 'owner' | 'lane'>>): string {
  return `lane ${JSON.stringify([owner, lane])}`;
}

/** What never changes of an operation. */
export type OperationFacts = Pick<
  Operation,
  | 'key'
  | 'owner'
  | 'server'
  | 'path'
  | 'body'
  | 'intent'
  | 'retry'
  | 'retentionMs'
  | 'lane'
  | 'place'
  | 'onFailure'
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

/** Whether nothing of it ran, and it can neither be asked for any more: the server would not have it. */
export function wasDeclined({ state, notes }: Operation): boolean {
  return state === 'settled' && notes.at(-1)?.ended === 'declined';
}

/** Whether it is parked until somebody does something about it: to ask again unasked would only trouble them once more. */
export function needsSomebody(parked: Operation['parked']): boolean {
  return ['unauthorized', 'indeterminate', 'declined', 'lane-halted'].includes(parked!);
}

export function oldestFirst(operations: readonly Operation[]): Operation[] {
  return [...operations].sort((a, b) => a.createdAt - b.createdAt || (a.key < b.key ? -1 : 1));
}
