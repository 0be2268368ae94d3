import type { OperationId } from '../outcome/operation-id.js';
import type { Outcome } from '../outcome/outcome.js';

export type RecordStatus = 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'INDETERMINATE';

/** A record as it was found. */
export interface StoredRecord {
  readonly fingerprint: string;
  readonly status: RecordStatus;
  /** There when the status is terminal: COMPLETED or FAILED. */
  readonly outcome: Outcome | undefined;
  /** Until the end of its retention, by the database's clock; negative once that has passed. */
  readonly leftMs: number;
}

/** What a transaction is opened for, and what is written when it settles. */
export interface RecordDraft {
  readonly id: OperationId;
  readonly procedure: string;
  readonly fingerprint: string;
  readonly retentionMs: number;
  /**
   * How long the work is let run, in milliseconds. Whoever opens the transaction ends it; the database is told, so that it
   * ends by itself what a process left behind that was frozen or cut off.
   * @default 60_000
   */
  readonly runTimeoutMs?: number;
}

export type Transacted =
  /** The work ran, and its writes and its record are committed. */
  | { readonly kind: 'settled'; readonly outcome: Outcome }
  /** Another attempt had settled before; the work did not run. */
  | { readonly kind: 'found'; readonly record: StoredRecord }
  /** Another transaction holds this operation; the work did not run. */
  | { readonly kind: 'busy' }
  /** The work ran, but another attempt's record was there first: the writes are rolled back. */
  | { readonly kind: 'fenced' };

export type Probe =
  | { readonly kind: 'found'; readonly record: StoredRecord }
  /** Nobody holds the operation, and no record of it is there: every transaction that tried has ended without one. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'busy' };

/** A batch of expired records that are gone. */
export interface Deleted {
  readonly count: number;
  /** When the last of them expired, in microseconds since 1970, for the next batch to begin at. */
  readonly upTo: number | undefined;
}

/** A record whose owner left it in progress, and what it was marked as. */
export interface AbandonedRecord {
  readonly procedure: string;
  readonly key: string;
  readonly status: 'FAILED' | 'INDETERMINATE';
}

/**
 * Where records live, in the same database as the business data. The record decides: an operation has happened if and
 * only if its record is there, because both were committed by one transaction.
 */
export interface RecordStore<TTransaction> {
  /**
   * Tells stores of one database apart, where there are several: an operation of one is none of another's, in the claim
   * store too.
   * @default '' where there is one
   */
  readonly space?: string;
  /**
   * Opens a transaction, looks whether the operation is free, runs `work` in it and settles what it returns, all or
   * nothing.
   *
   * @throws CommitUnknownError when the answer to COMMIT was lost. Anything else that is thrown, by `work` or the
   * database, means that nothing was committed.
   */
  transact(draft: RecordDraft, work: (tx: TTransaction) => Promise<Outcome>): Promise<Transacted>;
  read(id: OperationId): Promise<StoredRecord | undefined>;
  /** Finds out what became of a transaction whose COMMIT went unanswered. */
  probe(id: OperationId): Promise<Probe>;
  /**
   * Deletes up to `limit` records that have expired, the oldest first, and passes over those that somebody has in hand.
   * @param from Where the batch before ended: what was deleted there is not looked at again.
   */
  deleteExpired(limit: number, from?: number): Promise<Deleted>;
  /**
   * Marks up to `limit` records that are IN_PROGRESS and have not been touched for `afterMs` milliseconds, by the
   * database's clock: INDETERMINATE where an effect may outlive the record, else FAILED. Passes over those that somebody
   * has in hand.
   */
  markAbandoned(limit: number, afterMs: number): Promise<readonly AbandonedRecord[]>;
  /** Creates or updates the table. Safe to call from every instance at once. */
  migrate(): Promise<void>;
  close(): Promise<void>;
}
