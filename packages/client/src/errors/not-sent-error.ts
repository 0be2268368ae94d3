import { IdempotentCallError, isCallError } from './idempotent-call-error.js';

/**
 * Why nothing was sent:
 * - `storage`: the outbox could not keep the operation; `cause` is an `OutboxStorageError`;
 * - `too-large`: the operation is above what the storage takes;
 * - `input`: it cannot be written as JSON by the transformer;
 * - `key`: the caller's key is not a key, or none could be made here;
 * - `options`: the retry policy or the URL cannot be used;
 * - `aborted`: the caller's signal was aborted before the call;
 * - `closed`: the outbox was closed before the call.
 */
export type NotSentReason = 'storage' | 'too-large' | 'input' | 'key' | 'options' | 'aborted' | 'closed';

/**
 * Nothing left the device and nothing will: the operation is not in the outbox. Calling again is safe, and is a new
 * operation.
 */
export class NotSentError extends IdempotentCallError {
  override readonly name = 'NotSentError';
  readonly reason: NotSentReason;

  constructor(details: {
    readonly key: string;
    readonly reason: NotSentReason;
    readonly message: string;
    readonly cause?: unknown;
  }) {
    super(`Nothing was sent (${details.reason}): ${details.message}`, details.key, details.cause);
    this.reason = details.reason;
  }
}

/** Whether nothing was sent; by shape. */
export function isNotSent(error: unknown): error is NotSentError {
  return isCallError(error, 'NotSentError');
}
