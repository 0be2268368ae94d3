/**
 * - `unavailable`: there is no such storage here, or it refuses access (private mode, blocked cookies, no permission);
 * - `quota`: it is full;
 * - `too-large`: this one record is above what it takes in one row;
 * - `blocked`: another tab holds an older version open, or the system does not answer;
 * - `in-use`: another process has it;
 * - `codec`: the record could not be encoded;
 * - `not-damaged`: what was to be discarded is no damaged record of this owner, or not the one that was looked at;
 * - `failed`: anything else; see `cause`.
 */
export type StorageFailure =
  | 'unavailable'
  | 'quota'
  | 'too-large'
  | 'blocked'
  | 'in-use'
  | 'codec'
  | 'not-damaged'
  | 'failed';

/** The outbox's storage refused. Whatever it held before, it still holds. */
export class OutboxStorageError extends Error {
  override readonly name = 'OutboxStorageError';
  readonly storage: string;
  readonly reason: StorageFailure;

  constructor(storage: string, reason: StorageFailure, message: string, cause?: unknown) {
    super(`${storage}: ${message}`, { cause });
    this.storage = storage;
    this.reason = reason;
  }
}

/** Whether an outbox storage refused; by shape. */
export function isOutboxStorageError(error: unknown): error is OutboxStorageError {
  const { name, storage } = (error ?? {}) as { name?: unknown; storage?: unknown };
  return name === 'OutboxStorageError' && typeof storage === 'string';
}
