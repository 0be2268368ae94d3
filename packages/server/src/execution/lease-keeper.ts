import type { Claim } from '../claims/claim-store.js';
import type { GuardedClaims } from '../claims/guarded-claims.js';

/**
 * Keeps a claim while its handler runs: holding → (renewed → holding)* → stopped | lost.
 *
 * Renews at every third of the lease. A renewal that gets no answer is tried again, ten times as often, until the lease
 * has ended by the local clock: one lost reply is not a lost claim. Losing it changes nothing here: the fence decides.
 *
 * @returns a function that stops it.
 */
export function keepLease(claims: GuardedClaims, claim: Claim, onLost: () => void): () => void {
  const everyMs = claim.leaseMs / 3;
  const soonMs = claim.leaseMs / 30;
  let heldUntil = performance.now() + claim.leaseMs;
  let stopped = false;
  let timer: NodeJS.Timeout;

  const schedule = (ms: number): void => {
    timer = setTimeout(renew, ms);
    timer.unref();
  };
  const renew = async (): Promise<void> => {
    const askedAt = performance.now();
    const reply = await claims.renew(claim);
    if (stopped) return;
    if (reply === 'RENEWED') {
      heldUntil = askedAt + claim.leaseMs;
      schedule(everyMs);
    } else if (reply === 'LOST' || performance.now() >= heldUntil) {
      stopped = true;
      onLost();
    } else {
      schedule(soonMs);
    }
  };

  schedule(everyMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
