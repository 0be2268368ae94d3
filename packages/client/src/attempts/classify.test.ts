import { type IdempotencyFacts, type Refusal, refusals } from '@trpc-once/contract';
import { expect, test } from 'vitest';
import { classify, type Verdict } from './classify.js';
import type { Evidence } from './evidence.js';

const came = { kind: 'answer', retryAfterMs: undefined, replayed: false, sentOnce: true, text: '' } as const;

function result(status = 200): Evidence {
  return { ...came, status, answer: { ok: true, data: 1 } };
}

function foreign(status: number): Evidence {
  return { ...came, status, answer: undefined };
}

/** `httpStatus` is what tRPC's error says of itself; `status` what the response line says. */
function error(
  httpStatus: number | undefined,
  facts?: IdempotencyFacts,
  status = httpStatus ?? 500,
): Evidence {
  const shape = { code: -32000, message: 'm', data: httpStatus === undefined ? {} : { httpStatus } };
  return { ...came, status, answer: { ok: false, shape, facts } };
}

const again = (reason: string, mayHaveRun: boolean, spends = true) => ({
  kind: 'again',
  reason,
  spends,
  mayHaveRun,
});
const settled = { kind: 'settled' };
const unauthorized = { kind: 'park', reason: 'unauthorized' };
const declined = (certain: boolean) => ({ kind: 'declined', certain });

const ofRefusals: Record<Refusal, object> = {
  KEY_MISSING: declined(false),
  KEY_MALFORMED: declined(false),
  KEY_SHARED: declined(false),
  SCOPE_MISSING: unauthorized,
  IN_PROGRESS: again('in-progress', true, false),
  FINGERPRINT_MISMATCH: declined(true),
  KEY_EXPIRED: { kind: 'expired' },
  INDETERMINATE: { kind: 'park', reason: 'indeterminate' },
  STORE_UNAVAILABLE: again('store-unavailable', false),
};

test.each(Object.entries(ofRefusals))('refusal %s', (refusal, verdict) => {
  const { httpStatus } = refusals[refusal as Refusal];
  expect(classify(error(httpStatus, { refusal: refusal as Refusal }))).toEqual(verdict);
});

const table: [string, Evidence, object][] = [
  ['a result', result(), settled],
  ['a result with another good status', result(201), settled],
  ['a result under a bad status', result(502), again('http-502', true)],
  ['a settled business error', error(409, { settlement: 'settled' }), settled],
  ['a replayed business error', error(404, { settlement: 'replayed' }), settled],
  ['a settled UNAUTHORIZED', error(401, { settlement: 'settled' }), settled],
  ['a settled 500', error(500, { settlement: 'settled' }), settled],
  ['a settled 429', error(429, { settlement: 'replayed' }), settled],
  ['unknown', error(503, { settlement: 'unknown' }), again('unknown', true)],
  ['unknown under a 4xx', error(409, { settlement: 'unknown' }), again('unknown', true)],
  ['released 500', error(500, { settlement: 'released', key: 'k' }), again('released', false)],
  ['released 503', error(503, { settlement: 'released' }), again('released', false)],
  ['released 429', error(429, { settlement: 'released' }), again('released', false)],
  ['released 401', error(401, { settlement: 'released' }), unauthorized],
  ['released 404 from behind the claim', error(404, { settlement: 'released', key: 'k' }), declined(true)],
  ['released 403 from in front of the claim', error(403, { settlement: 'released' }), declined(false)],
  [
    'another input in flight, with nothing recorded yet',
    error(422, { refusal: 'FINGERPRINT_MISMATCH', retryAfterMs: 1_000 }),
    declined(false),
  ],
  ['401 without facts', error(401), unauthorized],
  ['400 without facts', error(400), declined(false)],
  ['403 without facts', error(403), declined(false)],
  ['a business CONFLICT without facts', error(409), declined(false)],
  [
    'a CONFLICT without facts that says when to ask again',
    { ...error(409), retryAfterMs: 1_000 } as Evidence,
    again('http-409', true),
  ],
  [
    'a released CONFLICT that says so',
    { ...error(409, { settlement: 'released', key: 'k' }), retryAfterMs: 1_000 } as Evidence,
    declined(true),
  ],
  ['422 without facts', error(422), declined(false)],
  ['408', error(408), again('http-408', true)],
  ['425', error(425), again('http-425', false)],
  ['429', error(429), again('http-429', false)],
  ['499', error(499), again('http-499', true)],
  ['500', error(500), again('http-500', true)],
  ['503', error(503), again('http-503', true)],
  ['a 404 that arrives in a 207', error(404, undefined, 207), declined(false)],
  ['a 500 that arrives in a 207', error(500, undefined, 207), again('http-500', true)],
  ['an error that says no status of its own', error(undefined, undefined, 403), declined(false)],
  ['an error under a good status', error(undefined, undefined, 200), again('http-200', true)],
  ['a captive portal', foreign(200), again('not-trpc', true)],
  ['a gateway 502', foreign(502), again('not-trpc', true)],
  ['a gateway 504', foreign(504), again('not-trpc', true)],
  ['a proxy 429', foreign(429), again('not-trpc', true)],
  ['a proxy 404', foreign(404), again('not-trpc', true)],
  ['a firewall 403', foreign(403), again('not-trpc', true)],
  ['a proxy 401', foreign(401), unauthorized],
  [
    'the network, perhaps after arrival',
    { kind: 'silence', why: 'network', mayHaveArrived: true, cause: 0 },
    again('network', true),
  ],
  [
    'the network, before arrival',
    { kind: 'silence', why: 'network', mayHaveArrived: false, cause: 0 },
    again('network', false),
  ],
  ['a timeout', { kind: 'silence', why: 'timeout', mayHaveArrived: true, cause: 0 }, again('timeout', true)],
  [
    'a cut body',
    { kind: 'silence', why: 'cut-body', mayHaveArrived: true, cause: 0 },
    again('cut-body', true),
  ],
  [
    'headers that could not be made',
    { kind: 'silence', why: 'headers', mayHaveArrived: false, cause: 0 },
    again('headers', false),
  ],
  ['another owner', { kind: 'withheld' }, { kind: 'park', reason: 'owner-changed' }],
];

test.each(table)('%s', (_, evidence, verdict) => {
  expect(classify(evidence)).toEqual(verdict);
});

test('an error that carries facts is read by them, whatever the status', () => {
  for (const status of [200, 207, 400, 401, 409, 422, 429, 500, 503, 504]) {
    expect(classify(error(status, { settlement: 'settled' }))).toEqual(settled);
    const inProgress: Verdict = { kind: 'again', reason: 'in-progress', spends: false, mayHaveRun: true };
    expect(classify(error(status, { refusal: 'IN_PROGRESS' }))).toEqual(inProgress);
  }
});

test.each([
  ['STORE_UNAVAILABLE', error(503, { refusal: 'STORE_UNAVAILABLE' })],
  ['released', error(500, { settlement: 'released', key: 'k' })],
  ['too early', error(425)],
  ['too many', error(429)],
])('%s says nothing of what a platform that sends twice sent before', (_, evidence) => {
  expect(classify({ ...evidence, sentOnce: false } as Evidence)).toMatchObject({
    kind: 'again',
    mayHaveRun: true,
  });
  expect(classify(evidence)).toMatchObject({ kind: 'again', mayHaveRun: false });
});

test('a POST that became a GET on its way has told nothing', () => {
  expect(classify(error(405))).toEqual(again('http-405', true));
});
