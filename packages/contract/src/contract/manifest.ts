import type { ProcedureKind } from '../procedure/definition.js';
import type { RetryPolicy } from '../retry/retry-policy.js';
import { type AnyContract, proceduresOf } from './contract.js';

export interface ManifestProcedure {
  readonly kind: ProcedureKind;
  readonly idempotent: boolean;
  /** Only on idempotent procedures. */
  readonly retentionMs?: number;
  readonly retry?: RetryPolicy;
}

/** A contract without its schemas: plain JSON, for clients that must be small. Carries the contract's type along. */
export interface Manifest<TContract extends AnyContract = AnyContract> {
  readonly version: 1;
  readonly procedures: { readonly [path: string]: ManifestProcedure };
  readonly '~contract'?: TContract;
}

/**
 * Drops a contract's schemas. Write it out at build time and give the client the JSON, so that no validator reaches
 * the bundle. A transformer is code, so it is not in it: give that to the client beside the manifest.
 *
 * @example
 * ```ts
 * writeFileSync('shop.manifest.json', JSON.stringify(manifest(shop)));
 * ```
 */
export function manifest<TContract extends AnyContract>(contract: TContract): Manifest<TContract> {
  const procedures: Record<string, ManifestProcedure> = {};
  for (const [path, { kind, idempotent }] of proceduresOf(contract)) {
    procedures[path] = idempotent
      ? { kind, idempotent: true, retentionMs: idempotent.retentionMs, retry: idempotent.retry }
      : { kind, idempotent: false };
  }
  return { version: 1, procedures };
}
