import type { Outcome } from '../outcome/outcome.js';
import { CommitUnknownError } from '../records/commit-unknown-error.js';
import type { RecordDraft, RecordStore, StoredRecord } from '../records/record-store.js';
import { sqlFault } from '../records/sql-state.js';
import { TransactionMisuseError } from '../records/transaction-misuse-error.js';
import { delay } from '../timing/delay.js';
import type { Call } from './call.js';
import { RunLimit } from './run-limit.js';

/** How an attempt that got through to the records ended. */
export type Settled =
  | { readonly kind: 'settled'; readonly outcome: Outcome }
  | { readonly kind: 'found'; readonly record: StoredRecord }
  | { readonly kind: 'busy' }
  /** The handler failed with something that settles nothing. */
  | { readonly kind: 'error'; readonly error: unknown }
  /** The handler ran for longer than it may. Nothing is committed, and COMMIT will never be sent. */
  | { readonly kind: 'timed-out'; readonly error: unknown }
  /**
   * The database could not take it, or it lost against other transactions too often. Nothing is committed; `ran` tells
   * whether the handler had begun.
   */
  | { readonly kind: 'unavailable'; readonly error: unknown; readonly ran: boolean }
  /** The handler ended its transaction by itself: what it wrote may be committed, and no record was written with it. */
  | { readonly kind: 'misused'; readonly error: unknown }
  /** Another attempt's record was there first, and cannot be read: it settled, and this one does not know as what. */
  | { readonly kind: 'fenced'; readonly error: unknown }
  /** The answer to COMMIT was lost. */
  | { readonly kind: 'commit-unknown'; readonly error: unknown };

export interface RunOptions<TTransaction> {
  readonly records: RecordStore<TTransaction>;
  /** For all runs of the handler together, in milliseconds. */
  readonly runTimeoutMs: number;
  readonly onRunAgain: (attempt: number, error: unknown) => void;
  readonly onFenced: () => void;
}

/** A deadlock or serialization failure three times over means contention that a further run will not end. */
const MAX_RUNS = 3;

/**
 * Opens a transaction, runs the handler in it and settles its outcome, all in one commit; runs the whole of it again
 * when the database chose it as the loser of a conflict.
 */
export async function runAndSettle<TTransaction>(
  call: Call<TTransaction>,
  options: RunOptions<TTransaction>,
): Promise<Settled> {
  const { records, runTimeoutMs, onRunAgain, onFenced } = options;
  const limit = new RunLimit(runTimeoutMs);
  const draft: RecordDraft = {
    id: call.id,
    procedure: call.procedure,
    fingerprint: call.fingerprint.text,
    retentionMs: call.retentionMs,
    runTimeoutMs,
  };
  /** A failed outcome: the handler's writes are rolled back first, then it settles in a transaction of its own. */
  let failed: Outcome | undefined;
  let ran = false;

  for (let run = 1; ; run++) {
    let inside = false;
    let returned = false;
    try {
      const transacted = await records.transact(draft, async (tx) => {
        if (failed) return failed;
        ran = inside = true;
        const result = await limit.run(() => call.run(tx));
        if (result.kind === 'error') throw new HandlerError(result.error);
        if (result.outcome.status === 'FAILED') throw new FailedOutcome(result.outcome);
        returned = true;
        return result.outcome;
      });
      if (transacted.kind !== 'fenced') return transacted;
      onFenced();
      let record: StoredRecord | undefined;
      try {
        record = await records.read(call.id);
      } catch (error) {
        return { kind: 'fenced', error };
      }
      if (record) return { kind: 'found', record };
      // The row that was in the way has been swept since; the operation is free again.
      if (run >= MAX_RUNS) return { kind: 'unavailable', error: new Error('the record kept changing'), ran };
    } catch (thrown) {
      if (thrown instanceof FailedOutcome) {
        failed = thrown.outcome;
        continue;
      }
      if (thrown instanceof CommitUnknownError) return { kind: 'commit-unknown', error: thrown };
      // Whatever became of the connection since: COMMIT was never sent on it.
      if (limit.error) return { kind: 'timed-out', error: limit.error };
      if (thrown instanceof TransactionMisuseError) return { kind: ran ? 'misused' : 'error', error: thrown };
      const byHandler = thrown instanceof HandlerError;
      const error = byHandler ? thrown.error : thrown;
      const fault = sqlFault(error);
      // Also where only the handler's own words tell: an ORM's statements do not pass through here.
      if (fault === 'serialization' || fault === 'unprepared') {
        if (run >= MAX_RUNS || limit.leftMs <= 0) return { kind: 'unavailable', error, ran };
        onRunAgain(run, error);
        await delay(Math.random() * 20 * run);
        continue;
      }
      if (byHandler) return { kind: 'error', error };
      // What fails outside the handler is our side of the database (no table, no grant, a changed password), and its
      // message is for the log, not for the caller. So is a limit that the session set, met by the record's own insert.
      const ours = !inside || (returned && fault === 'time-limit');
      return fault === 'unavailable' || ours ? { kind: 'unavailable', error, ran } : { kind: 'error', error };
    }
  }
}

/** Without `cause`: a handler's own network error says nothing about the database's connection. */
class HandlerError extends Error {
  readonly error: unknown;
  constructor(error: unknown) {
    super('the handler failed');
    this.error = error;
  }
}

class FailedOutcome extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super('the handler ended with a failed outcome');
    this.outcome = outcome;
  }
}
