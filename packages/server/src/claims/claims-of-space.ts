import type { OperationId } from '../outcome/operation-id.js';
import type { ClaimStore } from './claim-store.js';

/**
 * The claims of one record store. Where two of them share a claim store, as schemas of one database do, what settled in
 * one is no outcome in the other: its writes are not there.
 */
export function claimsOfSpace(claims: ClaimStore, space: string): ClaimStore {
  if (space === '') return claims;
  // A scope is a list in JSON, so this can be taken for no scope of the store that has no name.
  const own = ({ scope, key }: OperationId): OperationId => ({ scope: JSON.stringify(space) + scope, key });
  const watch = claims.watch?.bind(claims);
  return {
    claim: (claim) => claims.claim({ ...claim, id: own(claim.id) }),
    renew: (claim) => claims.renew({ ...claim, id: own(claim.id) }),
    release: (claim) => claims.release({ ...claim, id: own(claim.id) }),
    settle: (settled) => claims.settle({ ...settled, id: own(settled.id) }),
    ...(watch && { watch: (id, onNews) => watch(own(id), onNews) }),
    close: () => claims.close(),
  };
}
