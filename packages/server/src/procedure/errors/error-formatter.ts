import type { TRPCDefaultErrorShape, TRPCError } from '@trpc/server';
import type { IdempotencyFacts } from '@trpc-once/contract';
import { DeclaredError } from './declared-error.js';
import { factsOf } from './error-facts.js';

export interface FormatterOptions {
  readonly error: TRPCError;
  readonly shape: TRPCDefaultErrorShape;
  readonly [more: string]: unknown;
}

export type RootFormatter = (options: any) => any;

/**
 * Formats a procedure's errors: as the app's own formatter does, with what this library knows added to `data`.
 *
 * @param keyed Whether the procedure is idempotent. Its errors always say what became of the operation: one that never
 * got as far as a claim (not allowed, input refused) has settled nothing.
 */
export function onceErrorFormatter(root: RootFormatter | undefined, keyed: boolean) {
  return (options: FormatterOptions) => {
    const { error } = options;
    const idempotency: IdempotencyFacts | undefined =
      factsOf(error) ?? (keyed ? { settlement: 'released' } : undefined);
    const declared = error instanceof DeclaredError ? error.data.declared : undefined;
    if (!idempotency && !declared) return undefined;
    const shape = root ? root(options) : options.shape;
    return {
      ...shape,
      data: { ...shape.data, ...(idempotency && { idempotency }), ...(declared && { declared }) },
    };
  };
}
