import type { Claim, ClaimStore, Outcome, SettledClaim } from '@trpc-once/server';

export interface OpenClaims extends AsyncDisposable {
  readonly claims: ClaimStore;
  /** Forgets everything, as a flush, an eviction or a failover to an empty node does. */
  forget(): Promise<void>;
  /** Whether nothing is left of any operation. */
  isEmpty(): Promise<boolean>;
}

export const claim: Claim = {
  id: { scope: '["ann"]', key: 'k1' },
  fingerprint: '1.abc',
  ownerToken: 'one',
  leaseMs: 30_000,
};
export const byAnother: Claim = { ...claim, ownerToken: 'two' };

export const completed: Outcome = { status: 'COMPLETED', body: '{"id":1}' };

export const settled: SettledClaim = {
  id: claim.id,
  fingerprint: claim.fingerprint,
  outcome: completed,
  retainMs: 60_000,
};

/** A test with a claim store of its own. */
export type WithClaims = (
  name: string,
  run: (claims: ClaimStore, opened: OpenClaims) => Promise<void>,
) => void;
