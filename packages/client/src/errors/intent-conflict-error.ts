import { type CallFacts, IdempotentCallError, isCallError } from './idempotent-call-error.js';

/**
 * An operation with this intent (or this key) is still pending, and it is another one: another input, another procedure
 * or another key. Nothing was sent for this call. Wait for the pending one, then call again.
 *
 * `key` is the pending operation's.
 */
export class IntentConflictError extends IdempotentCallError {
  override readonly name = 'IntentConflictError';
  readonly intent: string | undefined;

  constructor(details: CallFacts & { readonly intent?: string | undefined }) {
    const what = details.intent === undefined ? 'This key' : `Intent "${details.intent}"`;
    super(
      `${what} belongs to operation ${details.key} of ${details.path}, which is pending and differs from this call; nothing was sent`,
      details,
    );
    this.intent = details.intent;
  }
}

/** Whether another operation holds the call's intent or key; by shape. */
export function isIntentConflict(error: unknown): error is IntentConflictError {
  return isCallError(error, 'IntentConflictError');
}
