import type { TRPCClient } from '@trpc/client';
import type {
  AnyContract,
  AnyProcedure,
  DeclaredErrors,
  ErrorsOf,
  IsIdempotent,
  RouterOf,
} from '@trpc-once/contract';
import type { IdempotentCallOptions } from '../link/options.js';
import type { Outbox } from '../outbox/outbox.js';
import type { IdempotentMutation } from './idempotent-call.js';

/** The options of an idempotent `.mutate()`: what tRPC takes for any call, and what concerns the operation. */
export interface IdempotentMutateOptions extends IdempotentCallOptions {
  /** Stops waiting; the operation goes on, and its outcome goes to `onSettled`. */
  readonly signal?: AbortSignal;
  /** For the links in front. */
  readonly context?: Record<string, unknown>;
}

/** What an idempotent `.mutate()` returns: tRPC's promise, which can also tell the operation's key. */
export interface WithKey {
  /**
   * The operation's key, known long before the outcome: that of the pending operation where the call joined one.
   * Rejected like the call itself when that was refused before it had one.
   */
  key(): Promise<string>;
}

/** What tRPC gives for a procedure, with an operation behind it. */
type Idempotent<TTrpc, TErrors extends DeclaredErrors> = TTrpc extends {
  mutate: (input: infer TInput, options?: any) => Promise<infer TOutput>;
}
  ? IdempotentMutation<TInput, TOutput, TErrors>
  : never;

/** A tRPC client's calls, with those of a contract's idempotent mutations widened. */
type Calls<TTree, TTrpc> = {
  [K in keyof TTrpc]: K extends keyof TTree
    ? TTree[K] extends AnyProcedure
      ? IsIdempotent<TTree[K]> extends true
        ? Idempotent<TTrpc[K], ErrorsOf<TTree[K]>>
        : TTrpc[K]
      : Calls<TTree[K], TTrpc[K]>
    : TTrpc[K];
};

/** The calls of a contract, as tRPC's client has them, and the outbox behind the idempotent ones. */
export type IdempotentClient<TContract extends AnyContract> = Calls<
  TContract,
  TRPCClient<RouterOf<TContract>>
> & { readonly outbox: Outbox };
