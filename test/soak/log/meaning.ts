import type { RawAnswer } from './entry.js';

/** What an answer says, read by the letter of the documentation and by none of the library's own code. */
export type Meaning =
  /** The outcome is an output; `body` is its JSON, to the byte. */
  | { readonly kind: 'completed'; readonly settlement: Settlement; readonly body: string }
  /** The outcome is an error; `body` is its message, and its data where it is a declared one, as JSON. */
  | {
      readonly kind: 'failed';
      readonly settlement: Settlement;
      readonly code: string;
      readonly body: string;
    }
  | { readonly kind: 'refused'; readonly refusal: string }
  /** Nothing of this attempt was kept; `byHandler` where the handler itself threw. */
  | { readonly kind: 'released'; readonly byHandler: 'flaky' | 'doomed' | undefined }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'undocumented'; readonly why: string };

type Settlement = 'settled' | 'replayed';

/** The refusals, and which of them say when to come back. */
const refusals: Readonly<Record<string, { readonly status: number; readonly retryAfter?: true }>> = {
  KEY_MISSING: { status: 400 },
  KEY_MALFORMED: { status: 400 },
  KEY_SHARED: { status: 400 },
  SCOPE_MISSING: { status: 401 },
  IN_PROGRESS: { status: 409, retryAfter: true },
  FINGERPRINT_MISMATCH: { status: 422 },
  KEY_EXPIRED: { status: 412 },
  STORE_UNAVAILABLE: { status: 503, retryAfter: true },
};

const undocumented = (why: string): Meaning => ({ kind: 'undocumented', why });

export function meaningOf(answer: RawAnswer): Meaning {
  const { status, headers, text } = answer;
  let body: any;
  try {
    body = JSON.parse(text);
  } catch {
    return undocumented('the body is not JSON');
  }
  const settlement = headers.status;
  const isReplay = headers.replayed === 'true';
  if (isReplay !== (settlement === 'replayed')) return undocumented('the two headers contradict each other');
  if (status === 200) {
    if (!isSettlement(settlement)) return undocumented('a 200 that says neither settled nor replayed');
    const output = /^\{"result":\{"data":(.*)\}\}$/s.exec(text)?.[1];
    return output === undefined
      ? undocumented('a 200 without a result')
      : { kind: 'completed', settlement, body: output };
  }
  const { message, data } = body?.error ?? {};
  if (data?.httpStatus !== status) return undocumented('the status in the body is another one');
  return ofError(answer, { ...data, message, facts: data.idempotency ?? {} });
}

interface Said {
  readonly message: string;
  readonly code: string;
  readonly facts: { readonly refusal?: string; readonly settlement?: string; readonly retryAfterMs?: number };
  readonly declared?: unknown;
}

function ofError({ status, headers }: RawAnswer, { message, code, facts, declared }: Said): Meaning {
  const { refusal, settlement, retryAfterMs } = facts;
  const comesBack = headers.retryAfter !== null && retryAfterMs !== undefined;
  if (refusal !== undefined) {
    const row = refusals[refusal];
    if (row?.status !== status) return undocumented(`${refusal} with status ${status}`);
    if (row.retryAfter && !comesBack) return undocumented(`${refusal} without Retry-After`);
    return { kind: 'refused', refusal };
  }
  if (isSettlement(settlement)) {
    if (headers.status !== settlement) return undocumented('header and body disagree about the settlement');
    const isOurs = declared === undefined ? status === 400 && message.startsWith('declined') : status === 409;
    return isOurs
      ? { kind: 'failed', settlement, code, body: JSON.stringify({ message, declared }) }
      : undocumented('a settled error that no handler here throws');
  }
  if (headers.status !== null) return undocumented(`the header says ${headers.status}, the body does not`);
  if (settlement === 'unknown')
    return status === 503 && comesBack ? { kind: 'unknown' } : undocumented('unknown, and not a 503');
  if (settlement !== 'released') return undocumented('an error that says nothing of its operation');
  if (status === 503 && comesBack) return { kind: 'released', byHandler: undefined };
  if (status === 500 && message === 'flaky') return { kind: 'released', byHandler: 'flaky' };
  if (status === 500 && message === 'doomed') return { kind: 'released', byHandler: 'doomed' };
  return undocumented(`released with status ${status}: ${message}`);
}

function isSettlement(text: string | null | undefined): text is Settlement {
  return text === 'settled' || text === 'replayed';
}

/** Whether it is the last word about its operation. */
export function isOutcome(meaning: Meaning): meaning is Extract<Meaning, { kind: 'completed' | 'failed' }> {
  return meaning.kind === 'completed' || meaning.kind === 'failed';
}
