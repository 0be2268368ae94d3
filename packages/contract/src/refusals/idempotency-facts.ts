import type { Refusal } from './same-key-again.js';

/**
 * What became of the operation by the time it was answered:
 * - `settled`: this attempt wrote the terminal outcome;
 * - `replayed`: an earlier attempt did, and this is its outcome again;
 * - `released`: nothing settled, the same key may run again;
 * - `unknown`: the answer to the commit was lost and could not be found out in time: ask again with the same key.
 */
export const settlements = ['settled', 'replayed', 'released', 'unknown'] as const;

export type Settlement = (typeof settlements)[number];

/**
 * What an error's `data.idempotency` says, so that browsers, batches and proxies that hide headers lose nothing.
 * Exactly one of `refusal` and `settlement` is there.
 */
export type IdempotencyFacts = {
  /** The key as the server read it; absent where it could not read one. */
  readonly key?: string;
  /** How long to wait before sending the same key again, in milliseconds. */
  readonly retryAfterMs?: number;
} & (
  | { readonly refusal: Refusal; readonly settlement?: never }
  | { readonly settlement: Settlement; readonly refusal?: never }
);
