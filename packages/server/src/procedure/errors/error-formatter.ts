import type { TRPCDefaultErrorShape, TRPCError } from '@trpc/server';
import type { DeclaredErrors, IdempotencyFacts } from '@trpc-once/contract';
import { wireOf } from '../wire/wire-context.js';
import { DeclaredError } from './declared-error.js';
import { factsOf, markTold } from './error-facts.js';

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
    const shape = root ? root(options) : options.shape;
    markTold(error);
    return {
      ...shape,
      data: { ...shape.data, ...(idempotency && { idempotency }), ...(declared && { declared }) },
    };
  };
}

/**
 * Of an error that did not come through the claim. In front of it (not allowed, input refused) nothing is said: this
 * attempt has settled nothing, but an earlier one may have, and nobody has looked. Where the operation has been answered,
 * one of the app's own middlewares failed behind that, and who asks again gets the outcome.
 */
function factsWithout(ctx: unknown): IdempotencyFacts | undefined {
  const wire = wireOf(ctx);
  if (!wire?.settlement) return undefined;
  return { settlement: 'unknown', ...(wire.key.ok && { key: wire.key.key }) };
}
