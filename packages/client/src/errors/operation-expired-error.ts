import { IdempotentCallError, isCallError, type OperationRef } from './idempotent-call-error.js';

/**
 * The operation was first sent longer ago than the server keeps outcomes, so asking again could run it again. It is
 * not sent any more; whether it took effect has to be looked up. It stays listed until it is dismissed.
 *
 * Found so by the device's clock, or by the server's. It stays so when the clock is set back: nobody can tell which of its
 * times was wrong.
 */
export class OperationExpiredError extends IdempotentCallError {
  override readonly name = 'OperationExpiredError';
  /** Epoch milliseconds. */
  readonly firstSentAt: number;

  constructor(details: OperationRef & { readonly firstSentAt: number; readonly cause?: unknown }) {
    super(
      `Operation ${details.key} of ${details.path} was first sent at ${new Date(details.firstSentAt).toISOString()}, and then found past its retention: it is not sent again, and has to be looked up`,
      details,
      details.cause,
    );
    this.firstSentAt = details.firstSentAt;
  }
}

/** Whether the operation is past its retention; by shape. */
export function isOperationExpired(error: unknown): error is OperationExpiredError {
  return isCallError(error, 'OperationExpiredError');
}
