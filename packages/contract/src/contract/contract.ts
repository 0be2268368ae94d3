import type { TRPCCombinedDataTransformer, TRPCDataTransformer } from '@trpc/server';
import type { AnyProcedure } from '../procedure/definition.js';

/** Registered, so that two copies of this package in one process still know each other's contracts. */
export const contractFacts: unique symbol = Symbol.for('@trpc-once/contract') as never;

/** What tRPC calls a transformer: superjson, devalue, or a pair of them. */
export type Transformer = TRPCDataTransformer | TRPCCombinedDataTransformer;

/** Procedures by name, nested as deep as one likes. */
export interface ContractTree {
  readonly [name: string]: AnyProcedure | ContractTree;
}

export interface ContractFacts<TTransformed extends boolean = boolean> {
  /** Every procedure, by its dotted path. */
  readonly procedures: ReadonlyMap<string, AnyProcedure>;
  readonly transformer: Transformer | undefined;
  readonly '~transformed'?: TTransformed;
}

/** What both sides import: the tree as it was written, each procedure now knowing its path. */
export type Contract<
  TTree extends ContractTree = ContractTree,
  TTransformed extends boolean = boolean,
> = TTree & {
  readonly [contractFacts]: ContractFacts<TTransformed>;
};

export type AnyContract = { readonly [contractFacts]: ContractFacts };

/** Every procedure of a contract, by its dotted path. */
export function proceduresOf(contract: AnyContract): ReadonlyMap<string, AnyProcedure> {
  return contract[contractFacts].procedures;
}

/** The transformer both sides use, if the contract names one. */
export function transformerOf(contract: AnyContract): Transformer | undefined {
  return contract[contractFacts].transformer;
}
