import { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { describe, expect, test } from 'vitest';
import { refusals } from './refusals.js';
import { isRefusal, type Refusal } from './same-key-again.js';

/** As the design has it, written out a second time on purpose: clients in the field depend on every cell. */
const promised: Record<Refusal, [code: string, httpStatus: number, again: string]> = {
  KEY_MISSING: ['BAD_REQUEST', 400, 'never'],
  KEY_MALFORMED: ['BAD_REQUEST', 400, 'never'],
  KEY_SHARED: ['BAD_REQUEST', 400, 'never'],
  SCOPE_MISSING: ['UNAUTHORIZED', 401, 'after-sign-in'],
  IN_PROGRESS: ['CONFLICT', 409, 'wait'],
  FINGERPRINT_MISMATCH: ['UNPROCESSABLE_CONTENT', 422, 'never'],
  KEY_EXPIRED: ['PRECONDITION_FAILED', 412, 'never'],
  INDETERMINATE: ['CONFLICT', 409, 'after-reconcile'],
  STORE_UNAVAILABLE: ['SERVICE_UNAVAILABLE', 503, 'wait'],
};

test('the table holds what is promised, and nothing else', () => {
  const table = Object.entries(refusals).map(([name, { code, httpStatus, again }]) => [
    name,
    [code, httpStatus, again],
  ]);
  expect(Object.fromEntries(table)).toEqual(promised);
});

describe.each(Object.entries(refusals))('%s', (name, { code, httpStatus, message }) => {
  test('has the HTTP status that tRPC gives its code', () => {
    expect(getHTTPStatusCodeFromError(new TRPCError({ code }))).toBe(httpStatus);
  });

  test('says what to do, in a sentence', () => {
    expect(message).toMatch(/^[A-Z].{40,}\.$/);
  });

  test('is a refusal by its exact name only', () => {
    expect(isRefusal(name)).toBe(true);
    expect(isRefusal(name.toLowerCase())).toBe(false);
  });
});

test.each([undefined, null, 0, '', 'toString', '__proto__', 'constructor', {}, ['IN_PROGRESS']])(
  '%j is no refusal',
  (name) => {
    expect(isRefusal(name)).toBe(false);
  },
);
