import type { Outcome } from '../outcome/outcome.js';
import { CommitUnknownError } from '../records/commit-unknown-error.js';
import type { RecordDraft, RecordStore, StoredRecord } from '../records/record-store.js';
import { sqlFault } from '../records/sql-state.js';
import { delay } from '../timing/delay.js';
import type { Call } from './call.js';

/** How an attempt that got through to the records ended. */
export type Settled =
  | { readonly kind: 'settled'; readonly outcome: Outcome }
  | { readonly kind: 'found'; readonly record: StoredRecord }
  | { readonly kind: 'busy' }
  /** The handler failed with something that settles nothing. */
  | { readonly kind: 'error'; readonly error: unknown }
  /**
   * The database could not take it, or it lost against other transactions too often. Nothing is committed; `ran` tells
   * whether the handler had begun.
   */
  | { readonly kind: 'unavailable'; readonly error: unknown; readonly ran: boolean }
  /** The answer to COMMIT was lost. */
  | { readonly kind: 'commit-unknown'; readonly error: unknown };

export interface RunOptions<TTransaction> {
  readonly records: RecordStore<TTransaction>;
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
  const { records, onRunAgain, onFenced } = options;
  const draft: RecordDraft = {
    id: call.id,
    procedure: call.procedure,
    fingerprint: call.fingerprint.text,
    retentionMs: call.retentionMs,
  };
  /** A failed outcome: the handler's writes are rolled back first, then it settles in a transaction of its own. */
  let failed: Outcome | undefined;
  let ran = false;

  for (let run = 1; ; run++) {
    let inside = false;
    try {
      const transacted = await records.transact(draft, async (tx) => {
        if (failed) return failed;
        ran = inside = true;
        const result = await call.run(tx);
        if (result.kind === 'error') throw new HandlerError(result.error);
        if (result.outcome.status === 'FAILED') throw new FailedOutcome(result.outcome);
        return result.outcome;
      });
      if (transacted.kind !== 'fenced') return transacted;
      onFenced();
      const record = await records.read(call.id);
      if (record) return { kind: 'found', record };
      // The row that was in the way has been swept since; the operation is free again.
      if (run >= MAX_RUNS) return { kind: 'unavailable', error: new Error('the record kept changing'), ran };
    } catch (thrown) {
      if (thrown instanceof FailedOutcome) {
        failed = thrown.outcome;
        continue;
      }
      if (thrown instanceof CommitUnknownError) return { kind: 'commit-unknown', error: thrown };
      const byHandler = thrown instanceof HandlerError;
      const error = byHandler ? thrown.error : thrown;
      const fault = sqlFault(error);
      // Also where only the handler's own words tell: an ORM's statements do not pass through here.
      if (fault === 'serialization' || fault === 'unprepared') {
        if (run >= MAX_RUNS) return { kind: 'unavailable', error, ran };
        onRunAgain(run, error);
        await delay(Math.random() * 20 * run);
        continue;
      }
      if (byHandler) return { kind: 'error', error };
      // What fails outside the handler is our side of the database (no table, no grant, a changed password), and its
      // message is for the log, not for the caller.
      return fault === 'unavailable' || !inside
        ? { kind: 'unavailable', error, ran }
        : { kind: 'error', error };
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
