import type { Refusal } from '@trpc-once/contract';
import type { Fingerprint } from '../fingerprint/fingerprint.js';
import type { OperationId } from '../outcome/operation-id.js';
import type { Outcome } from '../outcome/outcome.js';

/** One attempt at one operation, as it arrives here: the key is valid, the principal known, the input parsed. */
export interface Call<TTransaction> {
  readonly id: OperationId;
  readonly procedure: string;
  readonly fingerprint: Fingerprint;
  readonly retentionMs: number;
  readonly leaseMs: number;
  /** How long its handler may run, in milliseconds. @default what holds for all */
  readonly runTimeoutMs?: number;
  /** Runs the handler. May be called again when the transaction lost against others; never after it settled. */
  run(tx: TTransaction): Promise<Ran>;
}

/** How a run of the handler ended. */
export type Ran =
  /** With an outcome: COMPLETED keeps its writes, FAILED rolls them back. */
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  /** With an error that settles nothing. */
  | { readonly kind: 'error'; readonly error: unknown };

/** What to tell the caller. A `cause` is for the server's own log: it never leaves the server. */
export type Answer =
  | { readonly kind: 'settled' | 'replayed'; readonly outcome: Outcome }
  | {
      readonly kind: 'refused';
      readonly refusal: Refusal;
      readonly retryAfterMs?: number;
      readonly cause?: unknown;
    }
  /** Nothing settled. `retryAfterMs` is there when it was not the handler's fault and asking again is worth it. */
  | { readonly kind: 'released'; readonly error: unknown; readonly retryAfterMs?: number }
  | { readonly kind: 'unknown'; readonly retryAfterMs: number; readonly cause?: unknown };
