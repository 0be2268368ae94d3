import { TRPCError } from '@trpc/server';
import type { IdempotencyFacts } from '@trpc-once/contract';
import { expect, test } from 'vitest';
import { withFacts } from '../errors/error-facts.js';
import { responseMeta } from './response-meta.js';
import { type WireContext, withWire } from './wire-context.js';

const error = (facts?: IdempotencyFacts) => {
  const made = new TRPCError({ code: 'CONFLICT' });
  return facts ? withFacts(made, facts) : made;
};

const ctx = (more: Partial<WireContext> = {}) =>
  withWire({}, { key: { ok: true, key: 'k1' }, ageMs: undefined, calls: 1, ...more });

const headers = (options: Partial<Parameters<typeof responseMeta>[0]>) =>
  Object.fromEntries(responseMeta({ errors: [], ...options }).headers ?? []);

test('an outcome says whether it is new or a replay', () => {
  expect(headers({ ctx: ctx({ settlement: 'settled' }) })).toEqual({ 'idempotency-status': 'settled' });
  expect(headers({ ctx: ctx({ settlement: 'replayed' }) })).toEqual({
    'idempotency-status': 'replayed',
    'idempotency-replayed': 'true',
  });
});

test('so does one that is an error', () => {
  expect(headers({ ctx: ctx(), errors: [error({ settlement: 'settled', key: 'k1' })] })).toEqual({
    'idempotency-status': 'settled',
  });
  expect(headers({ ctx: ctx(), errors: [error({ settlement: 'replayed' })] })).toEqual({
    'idempotency-status': 'replayed',
    'idempotency-replayed': 'true',
  });
});

test('a wait is whole seconds, never less than was asked for', () => {
  for (const [retryAfterMs, seconds] of [
    [1, '1'],
    [200, '1'],
    [1_000, '1'],
    [1_001, '2'],
    [2_000, '2'],
  ] as const)
    expect(headers({ errors: [error({ refusal: 'IN_PROGRESS', retryAfterMs })] })).toEqual({
      'retry-after': seconds,
    });
});

test('neither released nor unknown is a status', () => {
  for (const settlement of ['released', 'unknown'] as const)
    expect(headers({ errors: [error({ settlement })] })).toEqual({});
});

test('an error that is not the operation’s answer says nothing, though the operation had been answered', () => {
  const answered = ctx({ settlement: 'settled', headers: { location: '/orders/1' } });
  expect(headers({ ctx: answered, errors: [error()] })).toEqual({});
});

test('the headers of the outcome come with it', () => {
  const answered = ctx({ settlement: 'replayed', headers: { location: '/orders/1' } });
  expect(headers({ ctx: answered })).toMatchObject({ location: '/orders/1', 'idempotency-replayed': 'true' });
});

test('a batch has several answers and says nothing, and nor does a request that is none of ours', () => {
  const info = { calls: [{}, {}] };
  expect(responseMeta({ errors: [], ctx: ctx({ settlement: 'settled' }), info })).toEqual({});
  expect(headers({ ctx: undefined, errors: [error()] })).toEqual({});
  expect(headers({ ctx: { user: 'ann' } })).toEqual({});
});

test('an answer that a formatter of the app told without its facts gets them, and one of another call does not', () => {
  const failed = error({ refusal: 'IN_PROGRESS', key: 'k1' });
  const told = (answered: Error) => {
    const part = { error: { code: -32009, data: { own: 1 } } };
    responseMeta({ ctx: ctx({ failed }), errors: [answered], data: [part] });
    return part.error.data;
  };
  expect(told(failed)).toEqual({ own: 1, idempotency: { refusal: 'IN_PROGRESS', key: 'k1' } });
  expect(told(error({ refusal: 'IN_PROGRESS', key: 'k2' }))).toEqual({ own: 1 });
});
