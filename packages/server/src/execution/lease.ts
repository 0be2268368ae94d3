import type { Claim } from '../claims/claim-store.js';
import type { GuardedClaims } from '../claims/guarded-claims.js';
import { keepLease } from './lease-keeper.js';

/** What an attempt holds in the claim store: renewed until it is released or let go. */
export interface Lease {
  /** Gives it up, so that the same key may run again at once. */
  release(): Promise<void>;
  /** Renews it no longer: it settled, or it ends by itself. */
  letGo(): void;
}

/** Of an attempt that runs without a claim: the records are all it needs. */
export const noLease: Lease = { release: async () => {}, letGo: () => {} };

export function leaseOf(claims: GuardedClaims, claim: Claim, onLost: () => void): Lease {
  const stop = keepLease(claims, claim, onLost);
  return {
    async release() {
      // First of all: a renewal behind the release would take the claim again, for nobody.
      stop();
      await claims.release(claim);
    },
    letGo: stop,
  };
}
