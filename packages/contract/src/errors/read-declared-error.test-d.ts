import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { procedure } from '../procedure/builder.js';
import { declaredError, isDeclaredError } from './read-declared-error.js';

const place = procedure
  .errors({
    OUT_OF_STOCK: { code: 'CONFLICT', data: z.object({ at: z.string().transform(Number) }) },
    CLOSED: { code: 'FORBIDDEN' },
  })
  .idempotent()
  .mutation();
const error: unknown = new Error();

test('a declared error is one of those that the procedure declares, with data as validated', () => {
  expectTypeOf(declaredError(error, place)).toEqualTypeOf<
    | { readonly name: 'OUT_OF_STOCK'; readonly data: { at: number } }
    | { readonly name: 'CLOSED'; readonly data: undefined }
    | undefined
  >();
});

test('a guard narrows to the error that it names', () => {
  if (isDeclaredError(error, place, 'OUT_OF_STOCK')) {
    expectTypeOf(error.data.declared.data.at).toEqualTypeOf<number>();
    expectTypeOf(error.message).toEqualTypeOf<string>();
    // @ts-expect-error it holds no name
    error.data.declared.data.name;
  }
});

test('an error that is not declared cannot be asked for', () => {
  // @ts-expect-error nobody declares it
  isDeclaredError(error, place, 'INSUFFICIENT_FUNDS');
  // @ts-expect-error a procedure without declared errors has none
  isDeclaredError(error, procedure.mutation(), 'CLOSED');
  expectTypeOf(declaredError(error, procedure.mutation())).toEqualTypeOf<undefined>();
});
