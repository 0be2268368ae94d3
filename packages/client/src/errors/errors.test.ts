import { isTRPCClientError, TRPCClientError } from '@trpc/client';
import { expect, test } from 'vitest';
import { IntentConflictError, isIntentConflict } from './intent-conflict-error.js';
import { keyOf } from './key-of.js';
import { isNotSent, NotSentError } from './not-sent-error.js';
import { isOperationExpired, OperationExpiredError } from './operation-expired-error.js';
import { isOperationParked, OperationParkedError } from './operation-parked-error.js';
import { isOutboxStorageError, OutboxStorageError } from './outbox-storage-error.js';
import { isOutcomeUnknown, OutcomeUnknownError } from './outcome-unknown-error.js';
import { serverError } from './server-error.js';

const key = '0197-key';
const cause = new Error('below');
const handle = { wait: () => Promise.resolve(1), resume: () => Promise.resolve(2) };

const errors = [
  [
    new OutcomeUnknownError({ key, attempts: 3, reason: 'attempts-spent', cause, ...handle }),
    OutcomeUnknownError,
    isOutcomeUnknown,
  ],
  [new NotSentError({ key, reason: 'storage', message: 'full', cause }), NotSentError, isNotSent],
  [
    new IntentConflictError({ key, intent: 'checkout', path: 'orders.place' }),
    IntentConflictError,
    isIntentConflict,
  ],
  [new OperationParkedError({ key, reason: 'unauthorized', cause }), OperationParkedError, isOperationParked],
  [new OperationExpiredError({ key, firstSentAt: 0, cause }), OperationExpiredError, isOperationExpired],
] as const;

test.each(errors)('%s is itself, a TRPCClientError and an Error', (error, own) => {
  expect(error).toBeInstanceOf(own);
  expect(error).toBeInstanceOf(TRPCClientError);
  expect(error).toBeInstanceOf(Error);
  expect(error.name).toBe(own.name);
});

test.each(errors)("%s comes through tRPC's own wrapping as the same error", (error) => {
  expect(isTRPCClientError(error)).toBe(true);
  expect(TRPCClientError.from(error, { meta: { response: 'r' } })).toBe(error);
  expect(keyOf(error)).toBe(key);
});

test.each(errors)('%s is known by its shape to its own guard and to no other', (error, _, guard) => {
  const { name, meta } = error;
  const fromAnotherCopy = { name, meta, key, message: 'm' };
  for (const [, , other] of errors) {
    expect(other(error)).toBe(other === guard);
    expect(other(fromAnotherCopy)).toBe(other === guard);
  }
});

test('nothing else is taken for one of them', () => {
  const others = [
    undefined,
    null,
    'OutcomeUnknownError',
    new Error('x'),
    { name: 'OutcomeUnknownError' },
    { name: 'NotSentError', key: 1 },
  ];
  for (const [, , guard] of errors) for (const other of others) expect(guard(other)).toBe(false);
});

test('messages name the operation and keep what was below', () => {
  for (const [error] of errors) expect(error.message).toContain(isNotSent(error) ? 'full' : key);
  expect(errors[0][0].cause).toBe(cause);
});

test('a cause that is no Error becomes one', () => {
  const error = new OutcomeUnknownError({
    key,
    attempts: 0,
    reason: 'aborted',
    cause: 'unmounted',
    ...handle,
  });
  expect(error.cause).toBeInstanceOf(Error);
  expect((error.cause as unknown as Error).message).toBe('unmounted');
});

test('an unknown outcome can be waited for and resumed from the error itself', async () => {
  expect(await errors[0][0].wait()).toBe(1);
  expect(await errors[0][0].resume()).toBe(2);
});

test('the key is read from server errors, from what a server says, and not made up', () => {
  expect(keyOf(serverError({ code: -32009, message: 'no' }, key))).toBe(key);
  expect(keyOf({ data: { idempotency: { settlement: 'settled', key: 'from-server' } } })).toBe('from-server');
  for (const other of [undefined, null, 'k', new Error('x'), { key: 'k' }])
    expect(keyOf(other)).toBeUndefined();
});

test('a storage error tells which storage and why, and is known by its shape', () => {
  const error = new OutboxStorageError('IndexedDB', 'quota', 'it is full', cause);
  expect(error).toMatchObject({
    storage: 'IndexedDB',
    reason: 'quota',
    message: 'IndexedDB: it is full',
    cause,
  });
  expect(isOutboxStorageError(error)).toBe(true);
  expect(isOutboxStorageError({ name: 'OutboxStorageError', storage: 'x' })).toBe(true);
  for (const other of [undefined, null, new Error('x'), { name: 'OutboxStorageError' }])
    expect(isOutboxStorageError(other)).toBe(false);
});
