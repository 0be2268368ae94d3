import { type Refusal, sameKeyAgain } from '@trpc-once/contract';
import type { ParkReason } from '../errors/operation-parked-error.js';
import type { Answer } from './answer.js';
import type { Evidence, Silence } from './evidence.js';

/** Why the same key is sent again. */
export type AgainReason =
  | Silence
  | 'in-progress'
  | 'store-unavailable'
  | 'released'
  | 'unknown'
  | 'not-trpc'
  | `http-${number}`;

export interface Again {
  readonly kind: 'again';
  readonly reason: AgainReason;
  /** Whether it counts against `maxAttempts`. */
  readonly spends: boolean;
  /** Whether this attempt may have taken effect, or may yet. */
  readonly mayHaveRun: boolean;
}

export type Verdict =
  | Again
  /** The terminal outcome. */
  | { readonly kind: 'settled' }
  /** Not run this time. It is the outcome if no earlier attempt may have run, or if the server's word covers those. */
  | { readonly kind: 'declined'; readonly certain: boolean }
  | { readonly kind: 'park'; readonly reason: ParkReason }
  | { readonly kind: 'expired' };

const SETTLED: Verdict = { kind: 'settled' };
const UNAUTHORIZED: Verdict = { kind: 'park', reason: 'unauthorized' };

/** "Not now", whoever says it: timeout, too early, too many, client gone. */
const NOT_NOW = [408, 425, 429, 499];

/**
 * What an attempt's evidence means for its operation, read in the order of its strength: what the server says of the
 * operation, then the status, then what the transport did. Never the text of a message.
 *
 * | evidence | verdict |
 * |---|---|
 * | a result; an error that settled or is replayed | settled |
 * | IN_PROGRESS | again, and it spends no attempt |
 * | STORE_UNAVAILABLE | again |
 * | SCOPE_MISSING; any other 401 | park: unauthorized |
 * | INDETERMINATE | park: indeterminate |
 * | KEY_EXPIRED | expired |
 * | FINGERPRINT_MISMATCH | declined, certainly: the key's record is another operation's |
 * | the same with a retryAfterMs | declined: only a claim says so, and an earlier attempt of ours may be running without one |
 * | KEY_MISSING, KEY_MALFORMED, KEY_SHARED | declined |
 * | 405: a POST that became a GET on its way; 408, 425, 429, 499, 5xx; settlement unknown | again |
 * | a 409 with Retry-After and no facts: IN_PROGRESS, most likely, whose `data` somebody has made anew | again |
 * | another 4xx, released, and naming the key | declined, certainly: it comes from behind the claim, and nothing had settled |
 * | another 4xx | declined: it may come from in front of the claim, where nobody looks what an earlier attempt did |
 * | not tRPC's; no answer | again |
 */
export function classify(evidence: Evidence): Verdict {
  switch (evidence.kind) {
    case 'withheld':
      return { kind: 'park', reason: 'owner-changed' };
    case 'silence':
      return again(evidence.why, evidence.mayHaveArrived);
    case 'answer': {
      const { answer, status, sentOnce, retryAfterMs } = evidence;
      if (!answer) return status === 401 ? UNAUTHORIZED : again('not-trpc', true);
      if (!answer.ok) return ofError(answer, status, !sentOnce, retryAfterMs !== undefined);
      return status >= 200 && status < 300 ? SETTLED : again(`http-${status}`, true);
    }
  }
}

/**
 * @param sentTwice whether the platform may have sent it before this that was answered, so that only what settled is certain
 * @param isLater whether it says when to ask again
 */
function ofError(
  { shape, facts }: Extract<Answer, { ok: false }>,
  httpStatus: number,
  sentTwice: boolean,
  isLater: boolean,
): Verdict {
  if (facts?.refusal) return ofRefusal(facts.refusal, facts.retryAfterMs === undefined, sentTwice);
  const settlement = facts?.settlement;
  if (settlement === 'settled' || settlement === 'replayed') return SETTLED;
  const status = shape.data?.httpStatus ?? httpStatus;
  if (status === 401) return UNAUTHORIZED;
  if (settlement === 'unknown') return again('unknown', true);
  const released = settlement === 'released';
  if (!facts && isLater && status === 409) return again('http-409', true);
  if (status >= 400 && status < 500 && !NOT_NOW.includes(status) && status !== 405)
    return { kind: 'declined', certain: released && facts?.key !== undefined };
  if (released) return again('released', sentTwice);
  // Rate limits are kept in front of the handler; any other of these may come from behind it.
  return again(`http-${status}`, sentTwice || (status !== 425 && status !== 429));
}

function ofRefusal(refusal: Refusal, forGood: boolean, sentTwice: boolean): Verdict {
  switch (sameKeyAgain[refusal]) {
    case 'wait':
      return refusal === 'IN_PROGRESS'
        ? { ...again('in-progress', true), spends: false }
        : again('store-unavailable', sentTwice);
    case 'after-sign-in':
      return UNAUTHORIZED;
    case 'after-reconcile':
      return { kind: 'park', reason: 'indeterminate' };
    case 'never':
      return refusal === 'KEY_EXPIRED'
        ? { kind: 'expired' }
        : { kind: 'declined', certain: forGood && refusal === 'FINGERPRINT_MISMATCH' };
  }
}

function again(reason: AgainReason, mayHaveRun: boolean): Again {
  return { kind: 'again', reason, spends: true, mayHaveRun };
}
