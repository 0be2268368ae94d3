import type { TRPCBuiltRouter, TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server';
import type { AnyProcedure, ErrorsOf, InputOf, OutputOf } from '../procedure/definition.js';
import type { OnceErrorShape } from '../wire/error-shape.js';
import type { AnyContract, ContractFacts, contractFacts } from './contract.js';

/** A procedure as tRPC's types know it. */
export type TrpcProcedureOf<TProcedure extends AnyProcedure> = TProcedure['kind'] extends 'query'
  ? TRPCQueryProcedure<TrpcDefinition<TProcedure>>
  : TRPCMutationProcedure<TrpcDefinition<TProcedure>>;

interface TrpcDefinition<TProcedure extends AnyProcedure> {
  input: InputOf<TProcedure>;
  output: Given<OutputOf<TProcedure>>;
  meta: object;
  errorShape: OnceErrorShape<ErrorsOf<TProcedure>>;
}

/** tRPC turns `void` into `never` on its way to a client, and `never` can be taken for anything. */
type Given<TOutput> = TOutput extends void ? undefined : TOutput;

/** The procedures of a contract as a tRPC router record. */
export type RecordOf<TTree> = {
  [K in keyof TTree as K extends string ? K : never]: TTree[K] extends AnyProcedure
    ? TrpcProcedureOf<TTree[K]>
    : RecordOf<TTree[K]>;
};

export type IsTransformed<TContract> = TContract extends {
  readonly [contractFacts]: ContractFacts<infer TTransformed>;
}
  ? TTransformed
  : false;

/**
 * The tRPC router that a contract describes, from the contract alone: give it to `createTRPCClient`,
 * `inferRouterOutputs` or `@trpc/tanstack-react-query` where the server's own router type is out of reach.
 */
export type RouterOf<TContract extends AnyContract> = TRPCBuiltRouter<
  {
    ctx: any;
    meta: object;
    errorShape: OnceErrorShape;
    transformer: IsTransformed<TContract>;
  },
  RecordOf<TContract>
>;
