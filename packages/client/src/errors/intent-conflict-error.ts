import { IdempotentCallError, isCallError, type OperationRef } from './idempotent-call-error.js';

/**
 * An operation with this intent (or this key) is still pending, and it is another one: another input, another procedure
 * or another key. Nothing was sent for this call. Wait for the pending one, then call again.
 *
 * `key` is the pending operation's.
 */
export class IntentConflictError extends IdempotentCallError {
  override readonly name = 'IntentConflictError';
  readonly intent: string | undefined;

  constructor(details: OperationRef & { readonly intent?: string | undefined }) {
    const [what, name] =
      details.intent === undefined
        ? ['This key', 'a key']
        : [`Intent "${details.intent}"`, 'an intent (checkout:<cart id>)'];
    super(
      `${what} belongs to operation ${details.key} of ${details.path}, which is pending and differs from this call; nothing was sent. Give each thing ${name} of its own, or wait(key) first`,
      details,
    );
    this.intent = details.intent;
  }
}

/** Whether another operation holds the call's intent or key; by shape. */
export function isIntentConflict(error: unknown): error is IntentConflictError {
  return isCallError(error, 'IntentConflictError');
}
