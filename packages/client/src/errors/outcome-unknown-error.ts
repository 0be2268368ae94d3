import { IdempotentCallError, isCallError, type OperationRef } from './idempotent-call-error.js';
import { inBrief } from './in-brief.js';

/**
 * Why the caller is told so:
 * - `attempts-spent`: `maxAttempts` of them brought no terminal answer;
 * - `wait-over`: `waitMs` passed; the outbox may still be asking;
 * - `retry-later`: the server wants to be left alone for longer than anybody waits here;
 * - `aborted`: by the caller's signal; the outbox may still be asking;
 * - `declined`: the server would not run it now, while an earlier attempt may have taken effect;
 * - `closed`: the outbox was closed;
 * - `storage`: storage has not said whether it keeps the operation, of which nothing was sent so far. It is sent once it is
 *   kept: what was refused, and may be there all the same, is stored again first, by time or by `resume()`. If it is refused
 *   for good, `storage-failed` tells so, and nothing will be sent;
 * - `elsewhere`: it is not in the outbox any more: it was dismissed, or another tab or process handed its outcome over, and
 *   this one did not hear which;
 * - `interrupted`: code of the app, such as `owner`, threw; see `cause`.
 */
export type UnknownReason =
  | 'attempts-spent'
  | 'wait-over'
  | 'retry-later'
  | 'aborted'
  | 'declined'
  | 'closed'
  | 'storage'
  | 'elsewhere'
  | 'interrupted';

export interface OutcomeUnknownDetails extends OperationRef {
  readonly attempts: number;
  readonly mayHaveRun: boolean;
  /** Of the operation. */
  readonly state?: string;
  readonly reason: UnknownReason;
  readonly cause?: unknown;
  wait(): Promise<unknown>;
  resume(): Promise<unknown>;
}

/** What whoever waits is left with; with a reason, if that holds whatever ended the wait. */
export type OutcomeUnknownHandle = Pick<OutcomeUnknownDetails, 'wait' | 'resume'> &
  Partial<Pick<OutcomeUnknownDetails, 'reason'>>;

/**
 * There is no evidence of an outcome yet, and this call no longer waits for it. The operation may or may not have taken
 * effect; it stays in the outbox with its key, and is asked for again by `resume()`. It did not fail: never offer a second
 * operation for it.
 *
 * @example
 * ```ts
 * catch (error) {
 *   if (isOutcomeUnknown(error)) tell('We do not know yet', { again: () => error.resume() });
 * }
 * ```
 */
export class OutcomeUnknownError extends IdempotentCallError {
  override readonly name = 'OutcomeUnknownError';
  /** How many attempts were made in all, those before a reload included. */
  readonly attempts: number;
  /**
   * Whether some attempt may have taken effect. `false`: every one so far surely did nothing (the server released it, no
   * connection came to be), so it did not happen *yet*: it is kept all the same, and may still happen.
   */
  readonly mayHaveRun: boolean;
  /** Why this call waits no longer: see {@link UnknownReason}. None of them is a failure of the operation. */
  readonly reason: UnknownReason;
  /** The outcome, whenever somebody finds it out: waits, and sends nothing. */
  readonly wait: () => Promise<unknown>;
  /** Asks again with the same key, and waits for the outcome under the same policy. */
  readonly resume: () => Promise<unknown>;

  constructor(details: OutcomeUnknownDetails) {
    const { key, path, attempts, reason, cause } = details;
    const last = inBrief(cause);
    const left =
      {
        elsewhere: 'it is not in the outbox any more',
        storage: 'storage has not said yet whether it is kept',
      }[reason as string] ?? 'it is kept, and can be resumed';
    super(
      `The outcome of operation ${key} of ${path} is not known (${reason}, attempts: ${attempts}${last ? `; ${last}` : ''}); ${left}`,
      details,
      cause,
    );
    this.attempts = attempts;
    // One that is under way has no evidence yet, and what became of one that is gone nobody here has heard.
    this.mayHaveRun = details.mayHaveRun || details.state === 'sending' || reason === 'elsewhere';
    this.reason = reason;
    this.wait = details.wait;
    this.resume = details.resume;
  }
}

/** Whether the client stopped asking; by shape. */
export function isOutcomeUnknown(error: unknown): error is OutcomeUnknownError {
  return isCallError(error, 'OutcomeUnknownError');
}
