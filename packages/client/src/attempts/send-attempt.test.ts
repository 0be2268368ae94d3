import { afterEach, expect, test, vi } from 'vitest';
import { FakeClock, settled } from '../testing/fake-clock.js';
import { Closing } from './closing.js';
import { type Attempt, type AttemptSettings, type ClientFetch, sendAttempt } from './send-attempt.js';
import { wireTransformer } from './transformer.js';

const clock = new FakeClock();

const attempt: Attempt = {
  key: 'k-1',
  owner: 'ann',
  path: 'orders.place',
  body: '{"sku":"tea"}',
  ageMs: 0,
  timeoutMs: 1_000,
  mayLeave: () => true,
  closing: new Closing(),
};

function settings(fetch: ClientFetch | undefined, more: Partial<AttemptSettings> = {}): AttemptSettings {
  const transformer = wireTransformer(undefined);
  return { url: 'https://shop.example/trpc', fetch, headers: undefined, transformer, clock, ...more };
}

/** A fetch that keeps what it was called with. */
function recording(answer = () => new Response('{"result":{"data":1}}')) {
  const calls: { url: string; init: RequestInit; headers: Record<string, string> }[] = [];
  const fetch: ClientFetch = async (url, init) => {
    calls.push({ url, init, headers: init.headers as Record<string, string> });
    return answer();
  };
  return { fetch, calls };
}

afterEach(() => vi.unstubAllGlobals());

test('one POST with the key quoted, its age in whole seconds, and the body as it is', async () => {
  const { fetch, calls } = recording();
  const evidence = await sendAttempt({ ...attempt, ageMs: 2_999 }, settings(fetch));
  expect(calls.length).toBe(1);
  expect(calls[0]!.url).toBe('https://shop.example/trpc/orders.place');
  expect(calls[0]!.init).toMatchObject({ method: 'POST', body: '{"sku":"tea"}' });
  expect(calls[0]!.headers).toMatchObject({
    'content-type': 'application/json',
    'idempotency-key': '"k-1"',
    'idempotency-key-age': '2',
  });
  expect(evidence).toMatchObject({ kind: 'answer', status: 200, answer: { ok: true, data: 1 } });
});

test('a clock set back does not make a negative age', async () => {
  const { fetch, calls } = recording();
  await sendAttempt({ ...attempt, ageMs: -50_000 }, settings(fetch));
  expect(calls[0]!.headers['idempotency-key-age']).toBe('0');
});

test('no input is no body', async () => {
  const { fetch, calls } = recording();
  await sendAttempt({ ...attempt, body: null }, settings(fetch));
  expect(calls[0]!.init.body).toBeNull();
});

test("a query in the base URL stays at the end, as tRPC's links keep it", async () => {
  const { fetch, calls } = recording();
  await sendAttempt(attempt, settings(fetch, { url: 'https://shop.example/trpc/?tenant=a' }));
  expect(calls[0]!.url).toBe('https://shop.example/trpc/orders.place?tenant=a');
});

test("the app's headers are sent, in every form tRPC takes, and cannot replace or double the key", async () => {
  const given = {
    Authorization: 'Bearer t',
    'IDEMPOTENCY-KEY': 'mine',
    'Idempotency-Key-Age': '9',
    'x-none': undefined,
  };
  const forms = [
    given,
    () => given,
    async () => new Headers({ authorization: 'Bearer t', 'Idempotency-Key': 'mine' }),
  ];
  for (const headers of forms) {
    const { fetch, calls } = recording();
    await sendAttempt(attempt, settings(fetch, { headers }));
    const sent = calls[0]!.headers;
    expect(sent['authorization']).toBe('Bearer t');
    expect(sent['idempotency-key']).toBe('"k-1"');
    expect(sent['idempotency-key-age']).toBe('0');
    expect(Object.keys(sent)).not.toContain('x-none');
  }
});

test('headers that cannot be made are silence, and nothing is sent', async () => {
  const { fetch, calls } = recording();
  const headers = () => Promise.reject(new Error('no token'));
  const evidence = await sendAttempt(attempt, settings(fetch, { headers }));
  expect(evidence).toMatchObject({ kind: 'silence', why: 'headers', mayHaveArrived: false });
  expect(calls).toEqual([]);
});

test('the owner is asked with nothing between it and the send', async () => {
  const { fetch, calls } = recording();
  let signedIn = true;
  const headers = async () => {
    await settled();
    signedIn = false;
    return {};
  };
  const evidence = await sendAttempt({ ...attempt, mayLeave: () => signedIn }, settings(fetch, { headers }));
  expect(evidence).toEqual({ kind: 'withheld' });
  expect(calls).toEqual([]);
});

test('an attempt that is over before its headers are made is not sent after all', async () => {
  const { fetch, calls } = recording();
  let give: (headers: object) => void = () => {};
  const headers = () => new Promise<Record<string, string>>((resolve) => (give = resolve as never));
  const sending = sendAttempt(attempt, settings(fetch, { headers }));
  await clock.advance(1_000);
  expect(await sending).toMatchObject({ kind: 'silence', why: 'timeout', mayHaveArrived: false });
  give({});
  await settled();
  expect(calls).toEqual([]);
});

test('a connection that never came to be is told apart from one that broke', async () => {
  const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
  const broken = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });
  const unreachable = Object.assign(new TypeError('fetch failed'), { cause: { code: 'EHOSTUNREACH' } });
  const inBrowser = new TypeError('Failed to fetch');
  for (const [error, mayHaveArrived] of [
    [refused, false],
    [broken, true],
    [unreachable, true],
    [inBrowser, true],
  ] as const) {
    vi.stubGlobal('fetch', () => Promise.reject(error));
    const evidence = await sendAttempt(attempt, settings(undefined));
    expect(evidence).toEqual({ kind: 'silence', why: 'network', mayHaveArrived, cause: error });
  }
});

test('the deadline covers the body, cancels the fetch, and holds where fetch ignores its signal', async () => {
  let signal: AbortSignal | null | undefined;
  const never = new ReadableStream({
    start: (stream) => stream.enqueue(new TextEncoder().encode('{"result"')),
  });
  const sending = sendAttempt(
    attempt,
    settings(async (_, init) => {
      signal = init.signal;
      return new Response(never);
    }),
  );
  await clock.advance(999);
  expect(signal?.aborted).toBe(false);
  await clock.advance(1);
  expect(await sending).toMatchObject({ kind: 'silence', why: 'timeout', mayHaveArrived: true });
  expect(signal?.aborted).toBe(true);
});

test('a body that breaks off is told apart from a network that never answered', async () => {
  const breaking = new ReadableStream({ pull: (stream) => stream.error(new TypeError('terminated')) });
  const evidence = await sendAttempt(
    attempt,
    settings(async () => new Response(breaking)),
  );
  expect(evidence).toMatchObject({ kind: 'silence', why: 'cut-body', mayHaveArrived: true });
});

test('closing ends an attempt at once; one begun after that sends nothing', async () => {
  const closing = new Closing();
  const sending = sendAttempt(
    { ...attempt, closing },
    settings(() => new Promise(() => {})),
  );
  await settled();
  closing.close();
  expect(await sending).toMatchObject({ kind: 'silence', why: 'closed' });
  const { fetch, calls } = recording();
  expect(await sendAttempt({ ...attempt, closing }, settings(fetch))).toMatchObject({
    why: 'closed',
  });
  await settled();
  expect(calls).toEqual([]);
});

test('what the error says of waiting comes before the header, and the header counts without it', async () => {
  const answer = (facts?: object) => () =>
    new Response(JSON.stringify({ error: { code: -32009, message: 'm', data: { idempotency: facts } } }), {
      status: 409,
      headers: { 'retry-after': '3' },
    });
  const fine = recording(answer({ refusal: 'IN_PROGRESS', retryAfterMs: 250 }));
  expect(await sendAttempt(attempt, settings(fine.fetch))).toMatchObject({ retryAfterMs: 250 });
  const coarse = recording(answer());
  expect(await sendAttempt(attempt, settings(coarse.fetch))).toMatchObject({ retryAfterMs: 3_000 });
});

test('a replay is known by its header or by its facts', async () => {
  const byHeader = recording(
    () => new Response('{"result":{}}', { headers: { 'Idempotency-Replayed': 'true' } }),
  );
  expect(await sendAttempt(attempt, settings(byHeader.fetch))).toMatchObject({ replayed: true });
  const error = { code: -32009, message: 'm', data: { idempotency: { settlement: 'replayed' } } };
  const byFacts = recording(() => new Response(JSON.stringify({ error }), { status: 409 }));
  expect(await sendAttempt(attempt, settings(byFacts.fetch))).toMatchObject({ replayed: true });
});

test('it works without AbortSignal.any, AbortSignal.timeout and throwIfAborted, as in React Native', async () => {
  const spies = [
    vi.spyOn(AbortSignal, 'any'),
    vi.spyOn(AbortSignal, 'timeout'),
    vi.spyOn(AbortSignal.prototype, 'throwIfAborted'),
  ];
  const { fetch } = recording();
  expect(await sendAttempt(attempt, settings(fetch))).toMatchObject({ kind: 'answer' });
  for (const spy of spies) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
});

test('no attempt leaves a timer behind', async () => {
  const before = clock.pending;
  await sendAttempt(attempt, settings(recording().fetch));
  await sendAttempt(
    attempt,
    settings(() => Promise.reject(new TypeError('x'))),
  );
  expect(clock.pending).toBe(before);
});

const refusedConnection = () =>
  Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }));

test('a refused connection is one that carried nothing, where the platform sends what it is given', async () => {
  vi.stubGlobal('fetch', refusedConnection);
  const evidence = await sendAttempt(attempt, settings(undefined));
  expect(evidence).toMatchObject({ kind: 'silence', mayHaveArrived: false });
});

test("a fetch of the app's own may have sent before, so its refused connection proves nothing", async () => {
  const evidence = await sendAttempt(attempt, settings(refusedConnection));
  expect(evidence).toMatchObject({ kind: 'silence', mayHaveArrived: true });
});

test("only the platform's own fetch, and only in Node, is known to send once", async () => {
  const { fetch } = recording();
  expect(await sendAttempt(attempt, settings(fetch))).toMatchObject({ sentOnce: false });
  vi.stubGlobal('fetch', fetch);
  expect(await sendAttempt(attempt, settings(undefined))).toMatchObject({ sentOnce: true });
});

test('a redirect is not followed: the key is for one server, and what a GET is answered is no outcome', async () => {
  const { fetch, calls } = recording();
  await sendAttempt(attempt, settings(fetch));
  expect(calls[0]!.init.redirect).toBe('manual');
  const followed = Object.defineProperty(new Response('{"result":{"data":1}}'), 'redirected', {
    value: true,
  });
  expect(
    await sendAttempt(
      attempt,
      settings(async () => followed),
    ),
  ).toMatchObject({ answer: undefined });
});

test('an error that names another key says nothing of this one', async () => {
  const error = (key: string) => ({
    code: -32009,
    message: 'sold out',
    data: { httpStatus: 409, idempotency: { settlement: 'settled', key } },
  });
  const answered = (key: string) => recording(() => new Response(JSON.stringify({ error: error(key) })));
  expect(await sendAttempt(attempt, settings(answered('k-2').fetch))).toMatchObject({ answer: undefined });
  expect(await sendAttempt(attempt, settings(answered('k-1').fetch))).toMatchObject({
    answer: { ok: false },
  });
});

test('a wait that never ends is none, whoever asks for it', async () => {
  const idempotency = { refusal: 'IN_PROGRESS', key: 'k-1', retryAfterMs: 1e18 };
  const error = { code: -32009, message: 'later', data: { httpStatus: 409, idempotency } };
  const { fetch } = recording(() => new Response(JSON.stringify({ error })));
  expect(await sendAttempt(attempt, settings(fetch))).toMatchObject({ retryAfterMs: undefined });
});

test('headers are asked for the one whose operation it is', async () => {
  const { fetch, calls } = recording();
  const headers = ({ owner }: { owner: string | null }) => ({ authorization: `Bearer of ${owner}` });
  await sendAttempt(attempt, settings(fetch, { headers }));
  expect(calls[0]!.headers['authorization']).toBe('Bearer of ann');
});

test('a Retry-After that is a date counts from the Date of the answer, not from a clock that goes wrong here', async () => {
  const headers = { date: 'Tue, 01 Jul 2025 10:00:00 GMT', 'retry-after': 'Tue, 01 Jul 2025 10:00:30 GMT' };
  const { fetch } = recording(() => new Response('busy', { status: 503, headers }));
  expect(await sendAttempt(attempt, settings(fetch))).toMatchObject({ retryAfterMs: 30_000 });
});
