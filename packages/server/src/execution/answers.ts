import type { Answer, Call } from './call.js';
import { STORE_RETRY_MS } from './retry-after.js';

/** Somebody else runs it. */
export function inProgress(retryAfterMs: number): Answer {
  return { kind: 'refused', refusal: 'IN_PROGRESS', retryAfterMs };
}

/** Nothing ran, because what decides could not be asked. */
export function storeUnavailable(cause?: unknown): Answer {
  return { kind: 'refused', refusal: 'STORE_UNAVAILABLE', retryAfterMs: STORE_RETRY_MS, cause };
}

/** It ran and nothing of it is kept, through no fault of its handler's. */
export function released(error: unknown): Answer {
  return { kind: 'released', error, retryAfterMs: STORE_RETRY_MS };
}

/** Nobody knows yet, and nobody guesses. */
export function unknown(cause: unknown): Answer {
  return { kind: 'unknown', retryAfterMs: STORE_RETRY_MS, cause };
}

/** A fingerprint that this process cannot read may be of the same input: an instance that can will tell. */
export function mismatch(call: Call<unknown>, stored: string): Answer {
  return call.fingerprint.compare(stored) === 'unknown-version'
    ? storeUnavailable(new Error('the stored fingerprint is of a version that this process cannot read'))
    : { kind: 'refused', refusal: 'FINGERPRINT_MISMATCH' };
}
