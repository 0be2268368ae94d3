import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server';

/**
 * One business error that a procedure declares: an outcome, settled and replayed like a success. Both sides know its
 * name and the type of its data.
 */
export interface DeclaredErrorDefinition {
  /** The tRPC code it travels under; it decides the HTTP status. A CONFLICT here is never taken for "in progress". */
  readonly code: TRPC_ERROR_CODE_KEY;
  /** Validates what the handler attaches. Leave it out for an error without data. */
  readonly data?: StandardSchemaV1;
  /** What people read. @default the error's name */
  readonly message?: string;
}

/** A procedure's declared errors, by name. */
export type DeclaredErrors = { readonly [name: string]: DeclaredErrorDefinition };

/** What a handler hands over with a declared error, before validation. */
export type DeclaredDataIn<TDefinition extends DeclaredErrorDefinition> =
  TDefinition['data'] extends StandardSchemaV1<infer TIn, unknown> ? TIn : undefined;

/** What the other side reads of a declared error, after validation; unknown where it may be of any procedure. */
export type DeclaredDataOut<TDefinition extends DeclaredErrorDefinition> =
  TDefinition['data'] extends StandardSchemaV1<any, infer TOut>
    ? TOut
    : [Extract<TDefinition['data'], StandardSchemaV1>] extends [never]
      ? undefined
      : unknown;

/** A declared error as it travels in an error's `data.declared`: a union over the names. */
export type DeclaredErrorOf<TErrors extends DeclaredErrors> = {
  [TName in keyof TErrors & string]: {
    readonly name: TName;
    readonly data: DeclaredDataOut<TErrors[TName]>;
  };
}[keyof TErrors & string];
