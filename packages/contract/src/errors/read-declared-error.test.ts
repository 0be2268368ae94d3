import { TRPCClientError } from '@trpc/client';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { procedure } from '../procedure/builder.js';
import { declaredError, isDeclaredError } from './read-declared-error.js';

const place = procedure
  .errors({
    OUT_OF_STOCK: { code: 'CONFLICT', data: z.object({ sku: z.string() }) },
    CLOSED: { code: 'FORBIDDEN' },
  })
  .idempotent()
  .mutation();

const thrown = (declared: unknown) =>
  TRPCClientError.from({
    error: { message: 'x', code: -32009, data: { code: 'CONFLICT', httpStatus: 409, declared } },
  } as never);

test('a declared error is read with its name and its data', () => {
  const declared = { name: 'OUT_OF_STOCK', data: { sku: 'tea' } };
  expect(declaredError(thrown(declared), place)).toEqual(declared);
});

test('a guard holds for the error that it names and for no other', () => {
  const error = thrown({ name: 'CLOSED' });
  expect(isDeclaredError(error, place, 'CLOSED')).toBe(true);
  expect(isDeclaredError(error, place, 'OUT_OF_STOCK')).toBe(false);
});

describe('nothing is read from', () => {
  const hostile = {
    get data(): never {
      throw new Error('no');
    },
  };
  test.each([
    ['an error that another procedure declares', thrown({ name: 'INSUFFICIENT_FUNDS' })],
    ['an inherited name', thrown({ name: 'toString' })],
    ['a name that is no text', thrown({ name: ['CLOSED'] })],
    ['an error without one', thrown(undefined)],
    ['an error that never reached the server', new TypeError('fetch failed')],
    [
      'an error that looks like it by its name and message',
      Object.assign(new Error('CLOSED'), { name: 'CLOSED' }),
    ],
    ['nothing', undefined],
    ['null', null],
    ['a text', 'CLOSED'],
    ['a getter that throws', hostile],
  ])('%s', (_what, error) => {
    expect(declaredError(error, place)).toBeUndefined();
    expect(isDeclaredError(error, place, 'CLOSED')).toBe(false);
  });
});
