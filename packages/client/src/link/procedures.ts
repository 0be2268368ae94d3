import {
  type AnyContract,
  ContractError,
  type Manifest,
  type ManifestProcedure,
  manifest,
  type Transformer,
  transformerOf,
} from '@trpc-once/contract';

/** What the client needs of a contract. */
export interface ClientContract {
  readonly procedures: { readonly [path: string]: ManifestProcedure };
  readonly transformer: Transformer | undefined;
}

/**
 * Reads a contract or its manifest.
 * @throws ContractError for a manifest of another version, or when a transformer is given that is not the contract's
 */
export function clientContract(
  contract: AnyContract | Manifest,
  transformer: Transformer | undefined,
): ClientContract {
  // In a contract, `version` could only be a procedure or a group of them.
  const { version, procedures } = contract as Manifest;
  if (version === 1) return { procedures, transformer };
  if (typeof version === 'number')
    throw new ContractError(`this client reads manifests of version 1, not ${version}: build it anew`);
  const own = transformerOf(contract as AnyContract);
  if (own && transformer && own !== transformer)
    throw new ContractError(
      'the contract names a transformer, and the client was given another one: leave it to the contract',
    );
  return { procedures: manifest(contract as AnyContract).procedures, transformer: own ?? transformer };
}
