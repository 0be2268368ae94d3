import type { TRPCDefaultErrorShape, TRPCError } from '@trpc/server';
import type { DeclaredErrors, IdempotencyFacts } from '@trpc-once/contract';
import { shapeByApp } from './app-formatters.js';
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

interface Facts {
  readonly idempotency: IdempotencyFacts | undefined;
  readonly declared: DeclaredError['data']['declared'] | undefined;
}

/** What this library knows of an error of that procedure; `undefined` when it is nothing. */
export function factsToTell(
  error: TRPCError,
  ctx: unknown,
  { keyed, errors }: FormattedProcedure,
): Facts | undefined {
  const idempotency = factsOf(error) ?? (keyed ? factsWithout(ctx, error) : undefined);
  const declared =
    error instanceof DeclaredError && error.declaredBy === errors ? error.data.declared : undefined;
  return idempotency || declared ? { idempotency, declared } : undefined;
}

/** Formats a procedure's errors: as the app's own formatters do, with what this library knows added to `data`. */
export function onceErrorFormatter(root: RootFormatter | undefined, procedure: FormattedProcedure) {
  return (options: FormatterOptions) => {
    const { error, ctx } = options;
    const facts = factsToTell(error, ctx, procedure);
    if (!facts) return undefined;
    const { idempotency, declared } = facts;
    const shape: any =
      shapeByApp(error) ?? (root ? root({ ...options, error: asTold(error) }) : options.shape);
    markTold(error);
    return {
      ...shape,
      data: { ...shape.data, ...(idempotency && { idempotency }), ...(declared && { declared }) },
    };
  };
}
