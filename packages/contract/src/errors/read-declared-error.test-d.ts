import type { TRPCClientError } from '@trpc/client';
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineContract } from '../contract/define-contract.js';
import type { RouterOf } from '../contract/router-of.js';
import { procedure } from '../procedure/builder.js';
import type { IdempotencyFacts } from '../refusals/idempotency-facts.js';
import { declaredError, isDeclaredError } from './read-declared-error.js';

const place = procedure
  .errors({
    OUT_OF_STOCK: { code: 'CONFLICT', data: z.object({ at: z.string().transform(Number) }) },
    CLOSED: { code: 'FORBIDDEN' },
  })
  .idempotent()
  .mutation();
const shop = defineContract({ place });
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

test('a guard keeps what tRPC and this library tell of any error', () => {
  if (!isDeclaredError(error, place, 'OUT_OF_STOCK')) return;
  expectTypeOf(error.data.code).toEqualTypeOf<TRPC_ERROR_CODE_KEY>();
  expectTypeOf(error.data.httpStatus).toEqualTypeOf<number>();
  expectTypeOf(error.data.path).toEqualTypeOf<string | undefined>();
  expectTypeOf(error.data.idempotency).toEqualTypeOf<IdempotencyFacts | undefined>();
  expectTypeOf(error.data.declared).toEqualTypeOf<{
    readonly name: 'OUT_OF_STOCK';
    readonly data: { at: number };
  }>();
  // @ts-expect-error nobody tells that
  error.data.colour;
});

test('a guard narrows what tRPC has typed already', () => {
  const typed = error as TRPCClientError<RouterOf<typeof shop>>;
  if (!isDeclaredError(typed, place, 'OUT_OF_STOCK')) return;
  expectTypeOf(typed.data.declared.data.at).toEqualTypeOf<number>();
  expectTypeOf(typed.data.httpStatus).toEqualTypeOf<number>();
  expectTypeOf(typed.data.idempotency).toEqualTypeOf<IdempotencyFacts | undefined>();
});

test('an error that is not declared cannot be asked for', () => {
  // @ts-expect-error nobody declares it
  isDeclaredError(error, place, 'INSUFFICIENT_FUNDS');
  // @ts-expect-error a procedure without declared errors has none
  isDeclaredError(error, procedure.mutation(), 'CLOSED');
  expectTypeOf(declaredError(error, procedure.mutation())).toEqualTypeOf<undefined>();
});
