import { expect, test } from 'vitest';
import { shopClient } from './clients.js';
import type { Reply } from './exchange.js';
import * as replies from './replies.js';
import { scriptedServer } from './scripted-server.js';

const { afterCommit, empty, html, json, refusal, trpcError } = replies;

/** Whatever comes back instead of the outcome, the same key is asked again and the effect is there once. */
const broken: [string, Reply][] = [
  ['the connection is reset before anything ran', replies.reset],
  ['the answer is lost after commit', replies.loseAnswer],
  ['the headers never come', replies.hang],
  ['the body stops coming', replies.hangInBody],
  ['the body is cut', replies.cutBody],
  ['the JSON is cut where no transport shows it', replies.cutJson],
  ['case 7: a gateway says 504 in HTML after the server committed', afterCommit(html(504))],
  ['a gateway says 502 in HTML', html(502)],
  [
    'a gateway says 503 in plain text with its own JSON type',
    afterCommit(json(503, 'upstream connect error')),
  ],
  ['a captive portal says 200 in HTML', html(200)],
  ['a captive portal says 200 in JSON', json(200, { portal: 'login', result: 'ok' })],
  [
    'a portal redirects to its page',
    ({ response }) => response.writeHead(302, { location: '/portal' }).end(),
  ],
  ['a firewall says 403 in HTML', html(403)],
  ['a proxy knows no such page', html(404)],
  ['a load balancer says 408 in HTML', html(408)],
  ['an edge says 425', json(425, { message: 'too early' })],
  ['the answer is empty', afterCommit(empty(200))],
  ['the answer is 204', afterCommit(empty(204))],
  ['the server is overloaded, in tRPC', trpcError(503, { code: 'SERVICE_UNAVAILABLE' })],
  ['the server failed, in tRPC', afterCommit(trpcError(500))],
  ['the server released the operation', trpcError(500, { facts: { settlement: 'released' } })],
  [
    'the server does not know whether it committed',
    afterCommit(trpcError(503, { facts: { settlement: 'unknown' } })),
  ],
  ["the server's records are out of reach", refusal('STORE_UNAVAILABLE')],
  ['a rate limit in tRPC', trpcError(429, { code: 'TOO_MANY_REQUESTS' })],
];

test.each(broken)('%s', async (_, reply) => {
  await using server = await scriptedServer();
  server.next(reply);
  const client = shopClient(server.url);
  const call = client.orders.place.mutate({ sku: 'tea' }, { retry: { attemptTimeoutMs: 400 } });
  const key = await call.key();
  expect(await call).toEqual({ orderId: key });
  expect(server.effects).toEqual([key]);
  const sent = server.arrived.filter(({ path }) => path === 'orders.place');
  expect(sent.map((one) => one.key)).toEqual([key, key]);
  expect(new Set(sent.map(({ body }) => body))).toEqual(new Set(['{"sku":"tea"}']));
  expect(await client.outbox.list()).toEqual([]);
});

test('case 7: when every answer is a gateway, the outcome is unknown, and resuming replays it', async () => {
  await using server = await scriptedServer();
  server.always(afterCommit(html(504)));
  const client = shopClient(server.url);
  const error: any = await client.orders.place
    .mutate({ sku: 'tea' }, { retry: { maxAttempts: 3 } })
    .catch((error) => error);
  expect(error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'attempts-spent', attempts: 3 });
  expect(error.message).not.toMatch(/fail/i);
  server.always(replies.result());
  expect(await error.resume()).toEqual({ orderId: error.key });
  expect(server.effects).toEqual([error.key]);
  expect(new Set(server.arrived.map(({ key }) => key))).toEqual(new Set([error.key]));
});

test("case 8: a proxy's plain-JSON 429 is waited out for as long as it says, with the same key", async () => {
  await using server = await scriptedServer();
  server.next(json(429, { error: 'rate limited' }, { 'retry-after': '1' }));
  const began = performance.now();
  const call = shopClient(server.url).orders.place.mutate({ sku: 'tea' });
  expect(await call).toEqual({ orderId: await call.key() });
  expect(performance.now() - began).toBeGreaterThanOrEqual(1_000);
  expect(server.arrived.map(({ key }) => key)).toEqual([await call.key(), await call.key()]);
});

test('case 8: a Retry-After that is a date is waited for as well', async () => {
  await using server = await scriptedServer();
  const until = new Date(Date.now() + 2_000).toUTCString();
  server.next(html(503, { 'retry-after': until }));
  await shopClient(server.url).orders.place.mutate({ sku: 'tea' });
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until));
});

test('cases 55 and 56: 409 in progress three times, then the answer: it resolves, though one attempt was allowed', async () => {
  await using server = await scriptedServer();
  server.next(...Array<Reply>(3).fill(refusal('IN_PROGRESS', 20)));
  const client = shopClient(server.url);
  const ends: string[] = [];
  client.outbox.subscribe(({ type }) => ends.push(type));
  const call = client.orders.place.mutate({ sku: 'tea' }, { retry: { maxAttempts: 1 } });
  expect(await call).toEqual({ orderId: await call.key() });
  expect(server.arrived.length).toBe(4);
  expect(ends.filter((type) => type === 'settled' || type === 'parked' || type === 'expired')).toEqual([
    'settled',
  ]);
});

test('a business CONFLICT is the outcome, never taken for one in progress', async () => {
  await using server = await scriptedServer();
  server.always(trpcError(409, { code: 'CONFLICT', facts: { settlement: 'settled' } }));
  await expect(shopClient(server.url).orders.place.mutate({ sku: 'tea' })).rejects.toMatchObject({
    data: { code: 'CONFLICT' },
  });
  expect(server.arrived.length).toBe(1);
});

test('a CONFLICT that lost its facts on the way and says when to ask again is not the outcome', async () => {
  await using server = await scriptedServer();
  server.next(trpcError(409, { code: 'CONFLICT', headers: { 'retry-after': '0' } }));
  const call = shopClient(server.url).orders.place.mutate({ sku: 'tea' });
  expect(await call).toEqual({ orderId: await call.key() });
  expect(server.arrived.map(({ key }) => key)).toEqual(Array(2).fill(await call.key()));
});

test('an error that lost its facts on the way is the outcome where a header says so, also of an attempt after the first', async () => {
  await using server = await scriptedServer();
  const headers = { 'idempotency-status': 'replayed', 'idempotency-replayed': 'true' };
  server.next(replies.loseAnswer, trpcError(409, { code: 'CONFLICT', headers }));
  const client = shopClient(server.url);
  const call = client.orders.place.mutate({ sku: 'tea' });
  await expect(call).rejects.toMatchObject({ data: { code: 'CONFLICT' } });
  expect(server.arrived.length).toBe(2);
  expect(await client.outbox.list()).toEqual([]);
});

test('a server that is not there at all is asked again, and known not to have run anything', async () => {
  const gone = await scriptedServer();
  const { url } = gone;
  await gone[Symbol.asyncDispose]();
  const client = shopClient(url);
  const error: any = await client.orders.place
    .mutate({ sku: 'tea' }, { retry: { maxAttempts: 2 } })
    .catch((error) => error);
  expect(error).toMatchObject({ name: 'OutcomeUnknownError', attempts: 2 });
  expect(await client.outbox.list()).toMatchObject([{ key: error.key, mayHaveRun: false }]);
});
