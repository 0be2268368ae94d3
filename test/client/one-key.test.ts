import { createTRPCClient, httpBatchLink, retryLink, type TRPCLink } from '@trpc/client';
import { createIdempotentClient, idempotencyLink, keyOf, memoryStorage } from '@trpc-once/client';
import type { RouterOf } from '@trpc-once/contract';
import { expect, test } from 'vitest';
import { until } from '../resources/index.js';
import { shopClient } from './clients.js';
import { hang, html, loseAnswer, refusal, reset, trpcError } from './replies.js';
import { scriptedServer } from './scripted-server.js';
import { shop } from './shop-contract.js';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('case 10: ten attempts carry one key, quoted, with the age since the first', async () => {
  await using server = await scriptedServer();
  const nine = [
    html(504),
    reset,
    loseAnswer,
    html(200),
    refusal('IN_PROGRESS', 1),
    trpcError(500),
    reset,
    html(502),
    loseAnswer,
  ];
  server.next(...nine);
  const call = shopClient(server.url).orders.place.mutate({ sku: 'tea' }, { retry: { maxAttempts: 20 } });
  const key = await call.key();
  await call;
  expect(key).toMatch(UUID_V7);
  expect(server.arrived.length).toBe(10);
  for (const { headers } of server.arrived) {
    expect(headers['idempotency-key']).toBe(`"${key}"`);
    expect(headers['idempotency-key-age']).toMatch(/^\d+$/);
  }
});

test("case 10: a caller's own key is carried as it is, by every attempt", async () => {
  await using server = await scriptedServer();
  server.next(loseAnswer, html(504));
  const own = 'order "17" \\ caf' + 'e~';
  const call = shopClient(server.url).orders.place.mutate({ sku: 'tea' }, { key: own });
  expect(await call).toEqual({ orderId: own });
  expect(await call.key()).toBe(own);
  expect(server.arrived.map(({ key }) => key)).toEqual([own, own, own]);
});

test('headers that can be read only once are sent with every attempt, and with other calls', async () => {
  await using server = await scriptedServer();
  server.next(reset);
  const headers = new Map([['authorization', 'Bearer ann']]).entries();
  const client = shopClient(server.url, { headers });
  await client.orders.place.mutate({ sku: 'tea' });
  await client.orders.byId.query('o1');
  expect(server.arrived.map((request) => request.headers.authorization)).toEqual(Array(3).fill('Bearer ann'));
});

test('case 10: the key can be read from every error', async () => {
  await using server = await scriptedServer();
  const client = shopClient(server.url, { retry: { maxAttempts: 2 } });
  const scripts = {
    OutcomeUnknownError: [reset, reset],
    OperationParkedError: [trpcError(401, { code: 'UNAUTHORIZED' })],
    OperationExpiredError: [refusal('KEY_EXPIRED')],
    TRPCClientError: [trpcError(404, { code: 'NOT_FOUND', facts: { settlement: 'settled' } })],
  };
  for (const [name, script] of Object.entries(scripts)) {
    server.next(...script);
    const call = client.orders.place.mutate({ sku: 'tea' });
    const error: any = await call.catch((error: unknown) => error);
    expect(error.name).toBe(name);
    expect(keyOf(error)).toBe(await call.key());
    expect(server.arrived.at(-1)!.key).toBe(keyOf(error));
  }
});

test('a key that is no key is refused before anything is sent', async () => {
  await using server = await scriptedServer();
  const call = shopClient(server.url).orders.place.mutate({ sku: 'tea' }, { key: 'a,b' });
  await expect(call).rejects.toMatchObject({ name: 'NotSentError', reason: 'key', key: 'a,b' });
  await expect(call.key()).rejects.toMatchObject({ name: 'NotSentError' });
  expect(server.arrived).toEqual([]);
});

test('case 3: a caller who retries with an intent sends one key throughout, and a bounded number of attempts', async () => {
  await using server = await scriptedServer();
  server.next(...Array(7).fill(reset));
  const client = shopClient(server.url, { retry: { maxAttempts: 3 } });
  const asHookLibrariesDo = async () => {
    for (let round = 1; ; round += 1) {
      try {
        return await client.orders.place.mutate({ sku: 'tea' }, { intent: 'checkout:1' });
      } catch (error) {
        if (round === 4) throw error;
      }
    }
  };
  const order = await asHookLibrariesDo();
  expect(server.effects.length).toBe(1);
  expect(order).toEqual({ orderId: server.effects[0] });
  expect(new Set(server.arrived.map(({ key }) => key)).size).toBe(1);
  expect(server.arrived.length).toBe(8);
});

/** A tRPC client that tries every call so often, with links behind that, and an outbox of two attempts. */
function behindRetries(url: string, times: number, ...between: TRPCLink<RouterOf<typeof shop>>[]) {
  const once = idempotencyLink({
    contract: shop,
    url,
    owner: () => 'ann',
    storage: memoryStorage(),
    retry: { maxAttempts: 2 },
  });
  const retries = retryLink<RouterOf<typeof shop>>({ retry: ({ attempts }) => attempts < times });
  const links = [retries, ...between, once, httpBatchLink({ url })];
  return { trpc: createTRPCClient<RouterOf<typeof shop>>({ links }), outbox: once.outbox };
}

const copying: TRPCLink<RouterOf<typeof shop>> =
  () =>
  ({ op, next }) =>
    next({ ...op, context: { ...op.context } });

/** As apps add a tenant or a version: an input of its own for every subscription. */
const adding: TRPCLink<RouterOf<typeof shop>> =
  () =>
  ({ op, next }) =>
    next({ ...op, input: { quantity: 1, ...(op.input as object) } });

test.each([
  ['', []],
  [', also through a link that copies the operation', [copying]],
  [', also through a link that makes an input of its own', [adding]],
])("case 3: tRPC's own retryLink in front finds the same key, without an intent%s", async (_, between) => {
  await using server = await scriptedServer();
  server.next(...Array(4).fill(reset));
  const { trpc } = behindRetries(server.url, 5, ...between);
  const order = await trpc.orders.place.mutate({ sku: 'tea' });
  expect(new Set(server.arrived.map(({ key }) => key)).size).toBe(1);
  expect(server.effects).toEqual([order.orderId]);
  expect(server.arrived.length).toBe(5);
  const other = await trpc.orders.place.mutate({ sku: 'tea' });
  expect(other.orderId).not.toBe(order.orderId);
});

test('case 3: a link that says something else each time has one operation, and is told that the others differ', async () => {
  await using server = await scriptedServer();
  server.next(reset, reset);
  let nonce = 0;
  const numbering: TRPCLink<RouterOf<typeof shop>> =
    () =>
    ({ op, next }) =>
      next({ ...op, input: { ...(op.input as object), quantity: ++nonce } });
  const { trpc, outbox } = behindRetries(server.url, 3, numbering);
  await expect(trpc.orders.place.mutate({ sku: 'tea' })).rejects.toMatchObject({
    name: 'IntentConflictError',
  });
  expect(new Set(server.arrived.map(({ body }) => body)).size).toBe(1);
  await outbox.resume();
  expect(server.effects.length).toBe(1);
});

test("case 46: tRPC's own retryLink does not send for the next who signs in", async () => {
  await using server = await scriptedServer();
  server.next(reset);
  let owner = 'ann';
  const once = idempotencyLink({
    ...{ contract: shop, url: server.url, storage: memoryStorage(), retry: { maxAttempts: 1 } },
    owner: () => owner,
  });
  const switching = retryLink<RouterOf<typeof shop>>({
    retry: ({ attempts }) => {
      owner = 'bob';
      return attempts < 3;
    },
  });
  const trpc = createTRPCClient<RouterOf<typeof shop>>({
    links: [switching, once, httpBatchLink({ url: server.url })],
  });
  await expect(trpc.orders.place.mutate({ sku: 'tea' })).rejects.toMatchObject({
    name: 'OperationParkedError',
    reason: 'owner-changed',
  });
  expect(server.arrived).toHaveLength(1);
});

test('case 49: two taps in one tick are one operation on the wire', async () => {
  await using server = await scriptedServer();
  server.next(loseAnswer);
  const client = shopClient(server.url);
  const tap = () => client.orders.place.mutate({ sku: 'tea', quantity: 2 }, { intent: 'checkout:1' });
  const otherTap = () => client.orders.place.mutate({ quantity: 2, sku: 'tea' }, { intent: 'checkout:1' });
  const [one, other] = await Promise.all([tap(), otherTap()]);
  expect(one).toEqual(other);
  expect(server.effects).toEqual([one.orderId]);
  expect(new Set(server.arrived.map(({ key }) => key)).size).toBe(1);
});

test('case 54: an aborted call stops waiting; its operation goes on, and its outcome is told', async () => {
  await using server = await scriptedServer();
  server.next(hang);
  const told: unknown[] = [];
  const client = shopClient(server.url, {
    onSettled: (operation, outcome) => void told.push({ key: operation.key, outcome }),
  });
  const unmounting = new AbortController();
  const call = client.orders.place.mutate(
    { sku: 'tea' },
    { signal: unmounting.signal, retry: { attemptTimeoutMs: 300 } },
  );
  const key = await call.key();
  unmounting.abort();
  await expect(call).rejects.toMatchObject({ name: 'OutcomeUnknownError', reason: 'aborted', key });
  await until(() => told.length > 0);
  expect(told).toEqual([{ key, outcome: { ok: true, data: { orderId: key } } }]);
  expect(server.effects).toEqual([key]);
});

test('the same is true inside an existing tRPC client, and its other calls are left alone', async () => {
  await using server = await scriptedServer();
  server.next(loseAnswer);
  const keys: string[] = [];
  const once = idempotencyLink({
    contract: shop,
    url: server.url,
    owner: () => 'ann',
    storage: memoryStorage(),
  });
  const trpc = createTRPCClient<RouterOf<typeof shop>>({ links: [once, httpBatchLink({ url: server.url })] });
  const context = { idempotency: { intent: 'checkout:1', onKey: (key: string) => keys.push(key) } };
  const [one, other, note] = await Promise.all([
    trpc.orders.place.mutate({ sku: 'tea' }, { context }),
    trpc.orders.place.mutate({ sku: 'tea' }, { context }),
    trpc.orders.byId.query('o1'),
  ]);
  expect([one, other]).toEqual([{ orderId: keys[0] }, { orderId: keys[0] }]);
  expect(note).toEqual({ orderId: 'orders.byId' });
  expect(server.effects).toEqual([keys[0]]);
  expect(await once.outbox.list()).toEqual([]);
});

test('a manifest does for a contract', async () => {
  await using server = await scriptedServer();
  const { manifest } = await import('@trpc-once/contract');
  const contract = JSON.parse(JSON.stringify(manifest(shop))) as ReturnType<typeof manifest<typeof shop>>;
  const client = createIdempotentClient({
    contract,
    url: server.url,
    owner: () => null,
    storage: memoryStorage(),
  });
  server.next(loseAnswer);
  const order = await client.orders.place.mutate({ sku: 'tea' });
  expect(server.effects).toEqual([order.orderId]);
});
