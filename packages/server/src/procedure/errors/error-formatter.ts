import type { TRPCDefaultErrorShape, TRPCError } from '@trpc/server';
import type { DeclaredErrors } from '@trpc-once/contract';
import { DeclaredError } from './declared-error.js';
import { factsOf, factsWithout, markTold } from './error-facts.js';
import { asTold } from './original-error.js';

export interface FormatterOptions {
  readonly error: TRPCError;
  readonly shape: TRPCDefaultErrorShape;
  readonly [more: string]: unknown;
}

export type RootFormatter = (options: any) => any;

export interface FormattedProcedure {
  /** Whether it is idempotent: then an error that lost the outcome behind the claim says so. */
  readonly keyed: boolean;
  /** Those it declares. */
  readonly errors: DeclaredErrors;
}

/** Formats a procedure's errors: as the app's own formatter does, with what this library knows added to `data`. */
export function onceErrorFormatter(root: RootFormatter | undefined, { keyed, errors }: FormattedProcedure) {
  return (options: FormatterOptions) => {
    const { error, ctx } = options;
    const idempotency = factsOf(error) ?? (keyed ? factsWithout(ctx) : undefined);
    const declared =
      error instanceof DeclaredError && error.declaredBy === errors ? error.data.declared : undefined;
    if (!idempotency && !declared) return undefined;
    const shape = root ? root({ ...options, error: asTold(error) }) : options.shape;
    markTold(error);
    return {
      ...shape,
      data: { ...shape.data, ...(idempotency && { idempotency }), ...(declared && { declared }) },
    };
  };
}
