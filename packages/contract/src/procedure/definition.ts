import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { DeclaredErrors } from '../errors/declared-errors.js';
import type { IdempotentPolicy } from './policy.js';

/** Any validator that speaks Standard Schema v1: zod 4 and 3.25, valibot, arktype. */
export type Schema<TIn = any, TOut = any> = StandardSchemaV1<TIn, TOut>;

export type ProcedureKind = 'query' | 'mutation';

/**
 * One procedure of a contract: what both sides agree on, and no code of either.
 *
 * `TInput` and `TOutput` are schemas, or `undefined` for a procedure that takes or gives nothing.
 */
export interface Procedure<
  TKind extends ProcedureKind = ProcedureKind,
  TInput extends Schema | undefined = Schema | undefined,
  TOutput extends Schema | undefined = Schema | undefined,
  TErrors extends DeclaredErrors = DeclaredErrors,
  TIdempotent extends boolean = boolean,
> {
  /** Dotted, as in URLs: `orders.place`. Set by `defineContract`; empty before. */
  readonly path: string;
  readonly kind: TKind;
  readonly input: TInput;
  readonly output: TOutput;
  readonly errors: TErrors;
  readonly idempotent: TIdempotent extends true ? IdempotentPolicy : IdempotentPolicy | undefined;
  /** Only a type: tells apart at compile time what has a key and what has none. */
  readonly '~idempotent'?: TIdempotent;
}

export type AnyProcedure = Procedure<ProcedureKind, any, any, any, boolean>;

export type IsIdempotent<TProcedure> =
  TProcedure extends Procedure<any, any, any, any, infer TIdempotent> ? TIdempotent : false;

/** What a caller sends. */
export type InputOf<TProcedure extends AnyProcedure> =
  TProcedure['input'] extends Schema<infer TIn> ? TIn : void;

/** What a handler receives. */
export type ParsedInputOf<TProcedure extends AnyProcedure> =
  TProcedure['input'] extends Schema<any, infer TOut> ? TOut : undefined;

/** What a handler returns. */
export type RawOutputOf<TProcedure extends AnyProcedure> =
  TProcedure['output'] extends Schema<infer TIn> ? TIn : void;

/** What a caller receives. */
export type OutputOf<TProcedure extends AnyProcedure> =
  TProcedure['output'] extends Schema<any, infer TOut> ? TOut : void;

export type ErrorsOf<TProcedure extends AnyProcedure> =
  TProcedure extends Procedure<any, any, any, infer TErrors, any> ? TErrors : never;
