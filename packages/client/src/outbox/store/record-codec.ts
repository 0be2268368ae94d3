import { defaultRetryPolicy, isIdempotencyKey, mergeRetryPolicy } from '@trpc-once/contract';
import { type Operation, operationId } from '../operation/operation.js';

const stored: readonly unknown[] = ['persisted', 'waiting', 'parked', 'expired', 'settled'];

/** An operation as the storage keeps it. */
export function encodeRecord(operation: Operation): string {
  return JSON.stringify(operation);
}

/**
 * Reads a stored record.
 * @throws Error saying what is wrong with it: cut short, not ours, or written by a newer version.
 */
export function decodeRecord(id: string, text: string | undefined): Operation {
  if (text === undefined) throw new Error('cannot be read');
  const record = JSON.parse(text) as Operation;
  if (record?.version !== 1) throw new Error(`has version ${record?.version}, not 1`);
  const { key, owner, path, body, intent, answer, state, notes, retry, parked, lane, place, onFailure } =
    record;
  const numbers = [record.retentionMs, record.createdAt, record.firstSentAt, record.attempts, place ?? 0];
  const texts = [owner, record.server, path, body, intent, answer, parked, lane, onFailure].map(
    (text) => text ?? '',
  );
  const whole =
    texts.every((value) => typeof value === 'string') &&
    typeof key === 'string' &&
    isIdempotencyKey(key) &&
    operationId(record) === id &&
    numbers.every(Number.isFinite) &&
    stored.includes(state) &&
    (state === 'settled') === (answer !== undefined) &&
    Array.isArray(notes);
  if (!whole) throw new Error('is not the record of an operation');
  // Whoever sends what never left stores it as persisted first: the process that did may have ended while it was sent.
  const neverLeft = record.mayHaveRun === false && (state === 'waiting' || state === 'parked');
  // What its lane held back from the start was never sent either, whatever was feared of it.
  const mayHaveRun = parked === 'lane-halted' ? record.attempts > 0 : !neverLeft;
  return Object.freeze({ ...record, retry: mergeRetryPolicy(defaultRetryPolicy, retry), mayHaveRun });
}

/** Whether a record is an operation's last word, or a newer version's, which this one cannot judge. */
export function isOver(text: string): boolean {
  try {
    const { version, state } = JSON.parse(text) as Operation;
    return version !== 1 || state === 'settled' || state === 'expired';
  } catch {
    return false;
  }
}
