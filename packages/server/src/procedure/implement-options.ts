import type { inferProcedureBuilderResolverOptions, TRPCProcedureBuilder } from '@trpc/server';
import type { AnyContract } from '@trpc-once/contract';
import type { IdempotentPaths } from './own-run-timeout.js';

/** Any procedure builder of `initTRPC`, with whatever middlewares it has. */
export type AnyBase = TRPCProcedureBuilder<any, any, any, any, any, any, any, false, any>;

/** The context that a base's handlers see, after its middlewares. */
export type ContextOf<TBase extends AnyBase> = inferProcedureBuilderResolverOptions<TBase>['ctx'];

export interface ImplementOptions<TBase extends AnyBase, TContract extends AnyContract = AnyContract> {
  /**
   * The app's own base, with its authentication and rate limits. Its middlewares run before the claim, and again on
   * every replay: who may no longer see an outcome is not shown it.
   */
  readonly procedure: TBase;
  /**
   * How long the handlers of single procedures may run, in milliseconds, by path, shorter or longer than the others':
   * `{ 'orders.import': 300_000 }`. Here and not in the contract, because only the server knows what a handler does.
   * @default createOnce({ runTimeoutMs })
   */
  readonly runTimeoutMs?: { readonly [TPath in IdempotentPaths<TContract>]?: number };
}
