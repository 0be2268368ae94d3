import { TRPCError } from '@trpc/server';
import { isDeclaredError, procedure } from '@trpc-once/contract';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { DeclaredError, errorFactories, validated } from './declared-error.js';

const declared = {
  SOLD_OUT: { code: 'CONFLICT', data: z.object({ left: z.coerce.number().default(0) }) },
  CLOSED: { code: 'FORBIDDEN', message: 'closed on Sundays' },
} as const;
const errors = errorFactories(declared);

test('a declared error is a TRPCError with the contract’s code and words', () => {
  const error = errors.CLOSED();
  expect(error).toBeInstanceOf(TRPCError);
  expect(error).toMatchObject({ code: 'FORBIDDEN', message: 'closed on Sundays' });
  expect(errors.SOLD_OUT({ left: 1 })).toMatchObject({
    code: 'CONFLICT',
    message: 'SOLD_OUT',
    data: { declared: { name: 'SOLD_OUT', data: { left: 1 } } },
    declaredBy: declared,
  });
});

test('it reads on the server as it does on the other side, with the code and the status it travels under', () => {
  const pay = procedure.errors(declared).idempotent().mutation();
  const error: unknown = errors.SOLD_OUT({ left: 0 });
  if (!isDeclaredError(error, pay, 'SOLD_OUT')) return expect.fail('not recognised');
  expect(error.data).toEqual({
    code: 'CONFLICT',
    httpStatus: 409,
    declared: { name: 'SOLD_OUT', data: { left: 0 } },
  });
  expect(error.data.idempotency).toBeUndefined();
});

test('there is a factory for what is declared, and for nothing else', () => {
  expect(Object.keys(errors)).toEqual(['SOLD_OUT', 'CLOSED']);
  expect(() => new DeclaredError(declared, 'toString', 1)).toThrow();
});

test('data is validated, and what the schema makes of it is what is told', async () => {
  expect((await validated(errors.SOLD_OUT({ left: '7' }))).data.declared.data).toEqual({ left: 7 });
  expect((await validated(errors.SOLD_OUT({}))).data.declared.data).toEqual({ left: 0 });
  const closed = errors.CLOSED();
  expect(await validated(closed)).toBe(closed);
});

test('a message of its own survives the validation', async () => {
  const error = new DeclaredError(declared, 'SOLD_OUT', { left: 1 }, { message: 'gone' });
  expect(await validated(error)).toMatchObject({ code: 'CONFLICT', message: 'gone' });
});

test('data that the contract does not allow is a fault of the handler, and is not shown to anybody', async () => {
  const wrong = validated(errors.SOLD_OUT({ left: 'a secret' }));
  await expect(wrong).rejects.toMatchObject({
    code: 'INTERNAL_SERVER_ERROR',
    message: 'the handler threw SOLD_OUT with data that the contract does not allow',
    // tRPC drops a cause that is no Error: the operator would be told that it is wrong, and not where.
    cause: { issues: [expect.objectContaining({ path: ['left'] })] },
  });
  await expect(wrong).rejects.not.toHaveProperty('data');
});
