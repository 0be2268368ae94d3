import type { DeclaredErrors } from '../errors/declared-errors.js';
import type { Procedure, ProcedureKind, Schema } from './definition.js';
import { type IdempotentOptions, type IdempotentPolicy, idempotentPolicy } from './policy.js';
import type { HoldsReadOnce } from './replayable.js';

/** A message where a type ought to be: read it in the compiler's error. */
export interface ContractTypeError<TMessage extends string> {
  readonly '~error': TMessage;
}

/** Both maps of errors as one that reads as it was written: editors show an intersection part by part. */
type Joined<TErrors, TMore> = { readonly [TName in keyof (TErrors & TMore)]: (TErrors & TMore)[TName] };

type In<T> = T extends Schema<infer TIn> ? TIn : undefined;
type Out<T> = T extends Schema<any, infer TOut> ? TOut : undefined;

/** The arguments of `.idempotent()`: where the types forbid it, one that nobody can give, whose name says why. */
type IdempotentArguments<TInput, TOutput> =
  // Asked this way round, since a union of which one member is read once gives `boolean`.
  true extends HoldsReadOnce<In<TInput>>
    ? [
        refused: ContractTypeError<'The input of an idempotent procedure is kept and sent again: no File, Blob, FormData or stream'>,
      ]
    : true extends HoldsReadOnce<Out<TOutput>>
      ? [
          refused: ContractTypeError<'The output of an idempotent procedure is stored and replayed: no stream, promise or Blob'>,
        ]
      : [options?: IdempotentOptions];

/** Ends an idempotent procedure. There is no `.query()` here: a query has no effect to protect. */
export interface IdempotentProcedureBuilder<
  TInput extends Schema | undefined,
  TOutput extends Schema | undefined,
  TErrors extends DeclaredErrors,
> {
  mutation(): Procedure<'mutation', TInput, TOutput, TErrors, true>;
}

/** Builds one procedure of a contract. Every method returns a new builder. */
export interface ContractProcedureBuilder<
  TInput extends Schema | undefined = undefined,
  TOutput extends Schema | undefined = undefined,
  TErrors extends DeclaredErrors = Record<never, never>,
> {
  /** What callers send. Without it the procedure takes nothing. */
  input<const T extends Schema>(schema: T): ContractProcedureBuilder<T, TOutput, TErrors>;
  /** What callers receive. Without it the procedure gives nothing. */
  output<const T extends Schema>(schema: T): ContractProcedureBuilder<TInput, T, TErrors>;
  /** Business errors that both sides know by name; for an idempotent procedure they are outcomes, replayed like a success. */
  errors<const T extends DeclaredErrors>(
    errors: T,
  ): ContractProcedureBuilder<TInput, TOutput, Joined<TErrors, T>>;
  /**
   * Marks the procedure as one that must not happen twice; only `.mutation()` may follow.
   * @throws ContractError when a duration is out of its range.
   * @example procedure.input(PlaceOrder).output(Order).idempotent({ leaseMs: 30_000 }).mutation()
   */
  idempotent(
    ...options: IdempotentArguments<TInput, TOutput>
  ): IdempotentProcedureBuilder<TInput, TOutput, TErrors>;
  query(): Procedure<'query', TInput, TOutput, TErrors, false>;
  /** A mutation without a key: it may happen twice when its answer is lost. */
  mutation(): Procedure<'mutation', TInput, TOutput, TErrors, false>;
}

interface Parts {
  readonly input: Schema | undefined;
  readonly output: Schema | undefined;
  readonly errors: DeclaredErrors;
}

function build(parts: Parts): ContractProcedureBuilder<any, any, any> {
  const end = (kind: ProcedureKind, idempotent?: IdempotentPolicy): Procedure<any, any, any, any, any> =>
    Object.freeze({ path: '', kind, ...parts, errors: Object.freeze({ ...parts.errors }), idempotent });
  return {
    input: (input) => build({ ...parts, input }),
    output: (output) => build({ ...parts, output }),
    errors: (errors) => build({ ...parts, errors: { ...parts.errors, ...errors } }),
    idempotent: (options?: unknown) => {
      const policy = idempotentPolicy(options as IdempotentOptions | undefined);
      return { mutation: () => end('mutation', policy) };
    },
    query: () => end('query'),
    mutation: () => end('mutation'),
  };
}

/**
 * Where every procedure of a contract begins.
 *
 * @example
 * ```ts
 * procedure.input(z.object({ sku: z.string() })).output(Order).idempotent().mutation();
 * ```
 */
export const procedure: ContractProcedureBuilder = build({
  input: undefined,
  output: undefined,
  errors: {},
});
