import type { TRPCClient } from '@trpc/client';
import type {
  AnyContract,
  AnyProcedure,
  DeclaredErrors,
  ErrorsOf,
  IsIdempotent,
  RouterOf,
} from '@trpc-once/contract';
import type { Outbox } from '../outbox/outbox.js';
import type { IdempotentMutation } from './idempotent-call.js';

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
