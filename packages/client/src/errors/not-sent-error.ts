import { IdempotentCallError, isCallError, type OperationRef } from './idempotent-call-error.js';
import { isOutboxStorageError } from './outbox-storage-error.js';

/**
 * Why nothing was sent:
 * - `storage`: the outbox could not keep the operation; `cause` is an `OutboxStorageError`;
 * - `too-large`: the operation is above what the storage takes;
 * - `input`: it cannot be written as JSON by the transformer;
 * - `key`: the caller's key is not a key, or none could be made here;
 * - `intent`: it is not a name, which would join calls that have nothing to do with each other;
 * - `options`: the retry policy or the URL cannot be used;
 * - `lane`: the call before it in its lane came to nothing, so their order cannot be kept;
 * - `owner-changed`: whoever made the call signed out, or somebody else signed in, before it was kept;
 * - `aborted`: the caller's signal was aborted before the call;
 * - `closed`: the outbox was closed before the call.
 */
export type NotSentReason =
  | 'storage'
  | 'too-large'
  | 'input'
  | 'key'
  | 'intent'
  | 'options'
  | 'lane'
  | 'owner-changed'
  | 'aborted'
  | 'closed';

/**
 * Nothing of this call left the device and nothing will: its operation is not in the outbox. Calling again is safe. What an
 * earlier call of the same intent or key may have left in a storage that cannot be read is untouched, and joined once it can.
 */
export class NotSentError extends IdempotentCallError {
  override readonly name = 'NotSentError';
  readonly reason: NotSentReason;

  constructor(
    details: OperationRef & {
      readonly reason: NotSentReason;
      readonly message: string;
      readonly cause?: unknown;
    },
  ) {
    const { path, reason, message, cause } = details;
    // A storage's own words, and the contract's, say which one it is, and often what to do.
    const says = isOutboxStorageError(cause) || (cause instanceof Error && cause.name === 'ContractError');
    const why = says ? `: ${cause.message}` : '';
    super(`Nothing was sent of ${path} (${reason}): ${message}${why}`, details, cause);
    this.reason = reason;
  }
}

/** Whether nothing was sent; by shape. */
export function isNotSent(error: unknown): error is NotSentError {
  return isCallError(error, 'NotSentError');
}
