import type { OperationId } from '../outcome/operation-id.js';
import type { Outcome } from '../outcome/outcome.js';

/** Who asks for a claim, and for how long. */
export interface Claim {
  readonly id: OperationId;
  /** Compared before anything else: a key that comes back with another input is refused, whatever its state. */
  readonly fingerprint: string;
  /** Made once per attempt, so that an attempt which asks again after a lost reply is recognised. */
  readonly ownerToken: string;
  readonly leaseMs: number;
}

export type ClaimReply =
  | { readonly kind: 'ACQUIRED' }
  /** Another owner runs it; `leftMs` until the lease ends unrenewed, `ageMs` since it was first claimed. */
  | { readonly kind: 'IN_PROGRESS'; readonly leftMs: number; readonly ageMs: number }
  /** It settled; `outcome` is undefined where it was too large to keep here and the record has to be read. */
  | { readonly kind: 'SETTLED'; readonly outcome: Outcome | undefined }
  | { readonly kind: 'MISMATCH'; readonly fingerprint: string };

export interface SettledClaim {
  readonly id: OperationId;
  readonly fingerprint: string;
  readonly outcome: Outcome;
  /** How long to remember it, in milliseconds. */
  readonly retainMs: number;
}

/**
 * Where claims live. A claim is a hint: it keeps duplicates away from the database and answers replays fast. Nothing
 * about the promise rests on it, so an implementation may lose everything at any time; it may not invent anything.
 *
 * States: absent → in progress (one owner, always with a lease) → settled → absent. Renew and release act only for the
 * owner. Settle is open to all, because only what the records already hold is ever told to it.
 */
export interface ClaimStore {
  claim(claim: Claim): Promise<ClaimReply>;
  /** Extends the lease; takes the claim anew if it vanished; `LOST` if it belongs to another or has settled. */
  renew(claim: Claim): Promise<'RENEWED' | 'LOST'>;
  release(claim: Pick<Claim, 'id' | 'ownerToken'>): Promise<void>;
  settle(settled: SettledClaim): Promise<void>;
  /**
   * Calls `onNews` when an operation in progress ends, and perhaps at other times. News may be lost: whoever watches must
   * look for himself now and then.
   * @returns what ends it
   */
  watch?(id: OperationId, onNews: () => void): Promise<() => void>;
  /** Frees what the store itself opened; a client that was handed in stays open. */
  close(): Promise<void>;
}
