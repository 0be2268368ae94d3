import type { TRPCDefaultErrorData, TRPCDefaultErrorShape } from '@trpc/server';
import type { DeclaredErrorOf, DeclaredErrors } from '../errors/declared-errors.js';
import type { IdempotencyFacts } from '../refusals/idempotency-facts.js';

/** A tRPC error's `data`, with what this library adds to it. */
export type OnceErrorData<TErrors extends DeclaredErrors = DeclaredErrors> = TRPCDefaultErrorData & {
  /**
   * What became of the operation: there on every error of an idempotent procedure, but for those raised before anybody
   * looked (not allowed, input refused). Those say nothing of what an earlier attempt did.
   */
  readonly idempotency?: IdempotencyFacts;
  /** There when the handler threw one of the procedure's declared errors. */
  readonly declared?: DeclaredErrorOf<TErrors>;
};

/** How an error of a contract's procedure arrives. */
export interface OnceErrorShape<TErrors extends DeclaredErrors = DeclaredErrors>
  extends TRPCDefaultErrorShape {
  readonly data: OnceErrorData<TErrors>;
}
