import { IdempotentCallError, isCallError, type OperationRef } from './idempotent-call-error.js';

/**
 * What a parked operation waits for:
 * - `unauthorized`: somebody has to sign in (401, or no scope), then `resume()`;
 * - `owner-changed`: another principal is signed in; it goes on when its owner is back;
 * - `indeterminate`: the server's side has to be reconciled first;
 * - `server-changed`: its key was made for another server than this client's, which does not know it and would run it once
 *   more. It goes on by itself with a client of that server; only `resume(key)` sends it to this client's;
 * - `path-gone`: this version of the app no longer has the procedure;
 * - `declined`: the server would not run it now, while an earlier attempt may have taken effect;
 * - `retry-later`: the server wants to be left alone until the operation's `notBefore`;
 * - `lane-waiting`: an earlier operation of its lane has no outcome yet; it goes on by itself once that has succeeded;
 * - `lane-halted`: an earlier operation of its lane failed. Nothing of this one was sent. `resume(key)` goes on with it and
 *   with the rest of its lane, `dismiss(key)` drops it; `resume()` of everything leaves it as it is.
 *
 * `declined` and `retry-later` reach the caller as an `OutcomeUnknownError`.
 */
export type ParkReason =
  | 'unauthorized'
  | 'owner-changed'
  | 'indeterminate'
  | 'server-changed'
  | 'path-gone'
  | 'declined'
  | 'retry-later'
  | 'lane-waiting'
  | 'lane-halted';

/** The operation is kept with its key and nothing is sent for it until `resume()`. Its outcome is not known. */
export class OperationParkedError extends IdempotentCallError {
  override readonly name = 'OperationParkedError';
  readonly reason: ParkReason;

  constructor(details: OperationRef & { readonly reason: ParkReason; readonly cause?: unknown }) {
    const asked = details.reason === 'server-changed' || details.reason === 'lane-halted';
    const when = asked ? 'only resume(key) goes on with it' : 'goes on when the outbox is resumed';
    super(
      `Operation ${details.key} of ${details.path} is parked (${details.reason}): it is kept, and ${when}`,
      details,
      details.cause,
    );
    this.reason = details.reason;
  }
}

/** Whether the operation was parked; by shape. */
export function isOperationParked(error: unknown): error is OperationParkedError {
  return isCallError(error, 'OperationParkedError');
}
