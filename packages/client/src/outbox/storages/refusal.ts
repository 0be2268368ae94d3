import {
  isOutboxStorageError,
  OutboxStorageError,
  type StorageFailure,
} from '../../errors/outbox-storage-error.js';

/**
 * How the stores of browsers, phones and servers say that they are full. A native module's error has no name or code of
 * its own, only SQLite's or the system's in its message, so this is the one place that looks at one.
 */
const FULL = /quota|SQLITE_FULL|disk is full|ENOSPC|EDQUOT|NO_DEVICE_SPACE|no space left/i;

/** What a store threw, as the outbox hears of it. */
export function refusal(
  storage: string,
  cause: unknown,
  otherwise: StorageFailure = 'failed',
): OutboxStorageError {
  if (isOutboxStorageError(cause)) return cause;
  const { name, code, message } = (cause ?? {}) as { [fact in 'name' | 'code' | 'message']?: unknown };
  const reason = FULL.test(`${name} ${code} ${message}`) ? 'quota' : otherwise;
  return new OutboxStorageError(storage, reason, reason === 'quota' ? 'it is full' : String(cause), cause);
}
