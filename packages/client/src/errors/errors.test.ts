import { isTRPCClientError, TRPCClientError } from '@trpc/client';
import { expect, test } from 'vitest';
import { AttemptError } from './attempt-error.js';
import { IntentConflictError, isIntentConflict } from './intent-conflict-error.js';
import { keyOf } from './key-of.js';
import { isNotSent, NotSentError } from './not-sent-error.js';
import { isOperationExpired, OperationExpiredError } from './operation-expired-error.js';
import { isOperationParked, OperationParkedError } from './operation-parked-error.js';
import { isOutboxStorageError, OutboxStorageError } from './outbox-storage-error.js';
import { isOutcomeUnknown, OutcomeUnknownError } from './outcome-unknown-error.js';
import { serverError } from './server-error.js';

const key = '0197-key';
const path = 'orders.place';
const cause = new Error('below');
const handle = { wait: () => Promise.resolve(1), resume: () => Promise.resolve(2) };

const errors = [
  [
    new OutcomeUnknownError({
      key,
      path,
      attempts: 3,
      mayHaveRun: true,
      reason: 'attempts-spent',
      cause,
      ...handle,
    }),
    OutcomeUnknownError,
    isOutcomeUnknown,
  ],
  [new NotSentError({ key, path, reason: 'storage', message: 'full', cause }), NotSentError, isNotSent],
  [new IntentConflictError({ key, path, intent: 'checkout' }), IntentConflictError, isIntentConflict],
  [
    new OperationParkedError({ key, path, reason: 'unauthorized', cause }),
    OperationParkedError,
    isOperationParked,
  ],
  [
    new OperationExpiredError({ key, path, firstSentAt: 0, cause }),
    OperationExpiredError,
    isOperationExpired,
  ],
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

test('messages name the operation and its procedure, and keep what was below', () => {
  for (const [error] of errors) {
    expect(error.message).toContain(isNotSent(error) ? 'full' : key);
    expect(error.message).toContain(path);
    expect(error).toMatchObject({ key, path });
  }
  expect(errors[0][0].cause).toBe(cause);
});

test('a storage that refused says in its own words which one and why', () => {
  const storage = new OutboxStorageError('file /srv/outbox', 'in-use', 'another process has it');
  const error = new NotSentError({
    key,
    path,
    reason: 'storage',
    message: 'it could not be kept',
    cause: storage,
  });
  expect(error.message).toContain('it could not be kept: file /srv/outbox: another process has it');
});

const below: [string, unknown, string][] = [
  ['a code', Object.assign(new Error('x'), { code: 'ECONNRESET' }), '; ECONNRESET)'],
  [
    "Node's fetch",
    new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }),
    '; ECONNREFUSED)',
  ],
  ["a browser's fetch", new TypeError('Failed to fetch'), '; TypeError)'],
  [
    'an error of the server',
    serverError({ code: -32603, message: 'x', data: { code: 'CONFLICT' } }, key),
    '; CONFLICT, see cause)',
  ],
  ['this package', new AttemptError('no complete answer within 10 ms'), '; no complete answer within 10 ms)'],
  ['an abort', Object.assign(new Error('x'), { name: 'AbortError', code: 20 }), '; AbortError)'],
  ['nothing to tell', new Error('x'), ', attempts: 1);'],
  ['nothing at all', undefined, ', attempts: 1);'],
];

test.each(below)('an unknown outcome says in its message what was in the way: %s', (_, cause, said) => {
  const error = new OutcomeUnknownError({
    key,
    path,
    attempts: 1,
    mayHaveRun: true,
    reason: 'wait-over',
    cause,
    ...handle,
  });
  expect(error.message).toContain(said);
});

test('the text of a cause is not repeated: it may hold a credential or an address', () => {
  const secret = new TypeError('Headers.append: "Bearer s3cret" is an invalid header value');
  for (const cause of [secret, new Error('wrapped', { cause: secret })]) {
    const details = { key, path, cause };
    const all = [
      new OutcomeUnknownError({
        ...details,
        attempts: 1,
        mayHaveRun: true,
        reason: 'interrupted',
        ...handle,
      }),
      new NotSentError({ ...details, reason: 'input', message: 'm' }),
      new OperationParkedError({ ...details, reason: 'unauthorized' }),
      new OperationExpiredError({ ...details, firstSentAt: 0 }),
    ];
    for (const error of all) expect(error.message).not.toContain('s3cret');
  }
});

test('a cause that is its own cause does no harm', () => {
  const cause = new Error('x');
  cause.cause = cause;
  expect(
    new OutcomeUnknownError({ key, path, attempts: 1, mayHaveRun: true, reason: 'closed', cause, ...handle })
      .cause,
  ).toBe(cause);
});

test('a cause that is no Error becomes one', () => {
  const error = new OutcomeUnknownError({
    key,
    path,
    attempts: 0,
    mayHaveRun: true,
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

test.each([
  ['text', 'thrown', 'thrown'],
  ['undefined as text', null, 'null'],
  ['an object without any text', Object.create(null), 'object'],
])('a cause that is no Error becomes one: %s', (_, cause, message) => {
  const error = new NotSentError({ key: 'k', path: 'p', reason: 'storage', message: 'm', cause });
  expect(error.cause).toMatchObject({ message });
});
