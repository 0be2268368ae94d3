import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type ClientOptions, createIdempotentClient, memoryStorage } from '@trpc-once/client';
import { defineContract, procedure } from '@trpc-once/contract';
import superjson from 'superjson';
import { expect, test } from 'vitest';
import { shopClient } from './clients.js';
import type { Reply } from './exchange.js';
import * as replies from './replies.js';
import { scriptedServer } from './scripted-server.js';
import { selfSigned } from './self-signed.js';

const { afterCommit, empty, html, json, refusal, result, trpcError } = replies;

/** One attempt of one operation, what is known of it afterwards, and what the caller was told. */
async function oneAttempt(url: string, options: Partial<ClientOptions> = {}) {
  const client = shopClient(url, { retry: { maxAttempts: 1, attemptTimeoutMs: 5_000 }, ...options });
  const error: any = await client.orders.place.mutate({ sku: 'tea' }).catch((error) => error);
  const [kept] = await client.outbox.list();
  const { ended, status } = kept?.notes.at(-1) ?? {};
  return { error, kept, seen: [ended, status, kept?.mayHaveRun] };
}

const raw =
  (status: number, headers: Record<string, string>, ...chunks: (string | Buffer)[]): Reply =>
  ({ response }) => {
    response.writeHead(status, headers);
    for (const chunk of chunks) response.write(chunk);
    response.end();
  };

/** Headers, a chunk, and the connection is gone: no length was promised that would show it. */
const cutChunked: Reply = ({ response }) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"result":{"da', () => response.socket?.destroy());
};

const broken: [string, Reply, (string | number | undefined)[], RegExp][] = [
  ['a captive portal', html(200), ['not-trpc', 200], /HTTP 200 with a page of HTML/],
  [
    'a redirect to a login page',
    ({ response }) => response.writeHead(302, { location: '/portal' }).end(),
    ['not-trpc', 302],
    /a redirect, which is not followed/,
  ],
  [
    'a redirect that would bring the POST to another place',
    ({ response }) => response.writeHead(308, { location: 'http://localhost:9/trpc/orders.place' }).end(),
    ['not-trpc', 308],
    /a redirect, which is not followed: give the client the address that it leads to/,
  ],
  [
    'a redirect after the effect, to where a GET is answered like an outcome',
    ({ commit, response }) => {
      commit();
      response.writeHead(303, { location: '/trpc/session' }).end();
    },
    ['not-trpc', 303],
    /a redirect/,
  ],
  ['a redirect to nowhere', raw(300, {}), ['not-trpc', 300], /HTTP 300 with an empty body/],
  ['a gateway 502', html(502), ['not-trpc', 502], /HTTP 502 with a page of HTML/],
  ['a gateway 504', html(504), ['not-trpc', 504], /HTTP 504/],
  ...[520, 521, 522, 523, 524, 525, 526, 527].map((status): [string, Reply, (string | number)[], RegExp] => [
    `an edge's ${status}`,
    html(status),
    ['not-trpc', status],
    new RegExp(`HTTP ${status}`),
  ]),
  ['a client-closed 499', html(499), ['not-trpc', 499], /HTTP 499/],
  ['a proxy that takes no body of this size', html(413), ['not-trpc', 413], /HTTP 413/],
  ['a proxy that has the wrong host', html(421), ['not-trpc', 421], /HTTP 421/],
  ['an edge that finds it too early', json(425, { message: 'no' }), ['not-trpc', 425], /HTTP 425 with JSON/],
  [
    'a plain 429',
    raw(429, {}, 'slow down'),
    ['not-trpc', 429],
    /HTTP 429 with a body that is not whole JSON/,
  ],
  ['a 204', empty(204), ['not-trpc', 204], /HTTP 204 with an empty body/],
  ['a 304', empty(304), ['not-trpc', 304], /HTTP 304/],
  [
    'JSON-RPC',
    json(200, { jsonrpc: '2.0', id: 1, result: {} }),
    ['not-trpc', 200],
    /not in the form of tRPC/,
  ],
  ['the answer to a batch', json(207, [{ result: { data: 1 } }]), ['not-trpc', 207], /answer to a batch/],
  ['a result under a 502', json(502, { result: { data: { orderId: 'x' } } }), ['http-502', 502], /HTTP 502/],
  ['a body shorter than its length', replies.cutBody, ['cut-body', undefined], /UND_ERR_SOCKET|ECONNRESET/],
  ['chunks that end early', cutChunked, ['cut-body', undefined], /UND_ERR_SOCKET|ECONNRESET/],
  [
    'gzip that is none',
    raw(200, { 'content-encoding': 'gzip' }, '{"result":{"data":{"orderId":"x"}}}'),
    ['cut-body', undefined],
    /Z_DATA_ERROR|TypeError/,
  ],
  [
    'gzip that ends early',
    raw(200, { 'content-encoding': 'gzip' }, gzipSync('{"result":{"data":{"orderId":"x"}}}').subarray(0, 20)),
    // What is there can be unpacked, and is no JSON; or the platform finds out by itself.
    [expect.stringMatching(/cut-body|not-trpc/), expect.anything()] as never,
    /./,
  ],
  ['a reset before the headers', replies.reset, ['network', undefined], /ECONNRESET|UND_ERR_SOCKET/],
];

test.each(broken)(
  '%s is no outcome: the operation is kept, and may have run',
  async (_, reply, seen, told) => {
    await using server = await scriptedServer();
    server.always(reply);
    const { error, ...one } = await oneAttempt(server.url);
    expect(error).toMatchObject({ name: 'OutcomeUnknownError', path: 'orders.place', attempts: 1 });
    expect(error.message).toMatch(told);
    expect(error.message).not.toMatch(/fail/i);
    if (typeof seen[0] === 'string') expect(one.seen).toEqual([...seen, true]);
    else expect(one.kept).toMatchObject({ mayHaveRun: true });
  },
);

/** A fetch that fails as other platforms' do: without a code, a status or a cause. */
const opaque: [string, () => Promise<Response>][] = [
  ["React Native's timeout", () => Promise.reject(new TypeError('Network request timed out'))],
  ["React Native's failure", () => Promise.reject(new TypeError('Network request failed'))],
  ["Safari's", () => Promise.reject(new TypeError('Load failed'))],
  ["Chromium's, CORS included", () => Promise.reject(new TypeError('Failed to fetch'))],
  ['an abort of the page', () => Promise.reject(new DOMException('gone', 'AbortError'))],
  ['something that is no Error', () => Promise.reject('no')],
];

test.each(opaque)('%s tells nothing, so that the attempt may have run', async (_, fetch) => {
  const { error, seen } = await oneAttempt('http://127.0.0.1:9/trpc', { fetch });
  expect(error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'attempts-spent' });
  expect(seen).toEqual(['network', undefined, true]);
});

test('an answer that CORS hides altogether is none', async () => {
  const { seen } = await oneAttempt('http://127.0.0.1:9/trpc', { fetch: async () => Response.error() });
  expect(seen).toEqual(['not-trpc', 0, true]);
});

test('what never reached a server has not run: refused, no such host, a certificate that nobody trusts', async () => {
  const closed = await scriptedServer();
  await closed[Symbol.asyncDispose]();
  await using tls = await tlsServer();
  const unreachable: [string, RegExp][] = [
    [closed.url, /ECONNREFUSED/],
    // Longer than a label may be, so that no name server is asked.
    [`http://${'x'.repeat(64)}.invalid/trpc`, /ENOTFOUND|EAI_AGAIN/],
    [tls.url, /DEPTH_ZERO_SELF_SIGNED_CERT/],
  ];
  for (const [url, told] of unreachable) {
    const { error, seen } = await oneAttempt(url);
    expect(error.message).toMatch(told);
    expect(seen).toEqual(['network', undefined, false]);
  }
  expect(tls.arrived()).toBe(0);
});

const waits: [string, string, number][] = [
  ['seconds', '2', 2_000],
  ['a date', new Date(Date.now() + 3_600_000).toUTCString(), 3_590_000],
  ['garbage', 'soon', 0],
  ['a negative number', '-5', 0],
  ['an empty value', '', 0],
];

test.each(waits)('a 429 whose Retry-After is %s', async (_, value, least) => {
  await using server = await scriptedServer();
  server.always(raw(429, { 'retry-after': value }, 'slow down'));
  // No patience at all, so that any wait is too long and is noted down.
  const retry = { maxAttempts: 1, waitMs: 0 };
  const began = Date.now();
  const client = shopClient(server.url, { retry });
  await client.orders.place.mutate({ sku: 'tea' }).catch(() => {});
  await expect.poll(async () => (await client.outbox.list())[0]?.notes.length).toBe(1);
  const [kept] = await client.outbox.list();
  expect((kept?.notBefore ?? began) - began).toBeGreaterThanOrEqual(least);
  if (least === 0) expect(kept?.notBefore).toBeUndefined();
});

const sides: [string, object | undefined, (body: object) => unknown][] = [
  ['the server', undefined, (error) => superjson.serialize(error)],
  ['the client', superjson, (error) => error],
];

test.each(sides)(
  'a transformer on the side of %s alone is named as the cause',
  async (_, transformer, write) => {
    await using server = await scriptedServer();
    const error = { code: -32009, message: 'no', data: { code: 'CONFLICT', httpStatus: 409 } };
    server.always(json(409, { error: write(error) }));
    const contract = defineContract(
      { pay: procedure.idempotent({ retry: { maxAttempts: 1 } }).mutation() },
      transformer ? { transformer: superjson } : {},
    );
    const owner = () => 'ann';
    const client = createIdempotentClient({ contract, url: server.url, owner, storage: memoryStorage() });
    const told: any = await client.pay.mutate().catch((error: unknown) => error);
    expect(told).toMatchObject({ name: 'OutcomeUnknownError' });
    expect(told.message).toMatch(/another transformer than this client's: give both sides the same one/);
  },
);

test('a "no" from in front of the claim is the outcome of a first attempt, and none after one that may have run', async () => {
  await using server = await scriptedServer();
  const no = trpcError(403, { code: 'FORBIDDEN' });
  const client = shopClient(server.url);
  server.next(no);
  await expect(client.orders.place.mutate({ sku: 'tea' })).rejects.toMatchObject({
    data: { code: 'FORBIDDEN' },
  });
  expect(await client.outbox.list()).toEqual([]);
  server.next(afterCommit(html(504)), no);
  const error: any = await client.orders.place.mutate({ sku: 'tea' }).catch((error) => error);
  expect(error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'declined', attempts: 2 });
  expect(error.message).toMatch(/FORBIDDEN/);
  server.always(result());
  expect(await error.resume()).toEqual({ orderId: error.key });
  expect(server.effects).toEqual([error.key]);
});

test('no header and no input is in any message', async () => {
  await using server = await scriptedServer();
  const headers = { authorization: 'Bearer s3cret' };
  for (const reply of [html(502), cutChunked, replies.reset, trpcError(500), refusal('STORE_UNAVAILABLE')]) {
    server.always(reply);
    const { error } = await oneAttempt(server.url, { headers });
    expect(error.message).not.toMatch(/s3cret|tea/);
  }
  const { error, seen } = await oneAttempt(server.url, { headers: { authorization: 'Bearer s3cret\u2028' } });
  expect(`${error.message} ${error.cause} ${error.cause.cause}`).not.toContain('s3cret');
  expect(error.message).toMatch(/header "authorization"/);
  expect(seen).toEqual(['headers', undefined, false]);
});

async function tlsServer() {
  let arrived = 0;
  const server = createServer(selfSigned, (_, response) => {
    arrived += 1;
    response.end('{"result":{}}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/trpc`,
    arrived: () => arrived,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
