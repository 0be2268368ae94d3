import { isTRPCClientError, safe } from '@trpc/client';
import { declaredError, isDeclaredError } from '@trpc-once/contract';
import { expect, test } from 'vitest';
import { shopClient } from './clients.js';
import { loseAnswer, result, trpcError } from './replies.js';
import { scriptedServer } from './scripted-server.js';
import { shop } from './shop-contract.js';

const outOfStock = (settlement: 'settled' | 'replayed') =>
  trpcError(409, {
    code: 'CONFLICT',
    facts: { settlement },
    declared: { name: 'OUT_OF_STOCK', data: { sku: 'tea' } },
  });

test("a declared error arrives as tRPC's own, and is read by its contract", async () => {
  await using server = await scriptedServer();
  server.always(outOfStock('settled'));
  const [order, error] = await safe(shopClient(server.url).orders.place.mutate({ sku: 'tea' }));
  expect(order).toBeUndefined();
  expect(isTRPCClientError(error)).toBe(true);
  expect(error?.data?.declared).toEqual({ name: 'OUT_OF_STOCK', data: { sku: 'tea' } });
  expect(declaredError(error, shop.orders.place)).toEqual({ name: 'OUT_OF_STOCK', data: { sku: 'tea' } });
  expect(isDeclaredError(error, shop.orders.place, 'OUT_OF_STOCK')).toBe(true);
});

test('a replayed error after a lost answer is the same error', async () => {
  await using server = await scriptedServer();
  server.next(loseAnswer, outOfStock('replayed'));
  const error = await shopClient(server.url)
    .orders.place.mutate({ sku: 'tea' })
    .catch((error: unknown) => error);
  expect(declaredError(error, shop.orders.place)?.data).toEqual({ sku: 'tea' });
  expect(server.arrived.length).toBe(2);
});

test('case 47: after a 401 the headers of the refreshed session go with the same key', async () => {
  await using server = await scriptedServer();
  server.always((exchange) =>
    (exchange.headers.authorization === 'Bearer new'
      ? result({ orderId: 'o1' })
      : trpcError(401, { code: 'UNAUTHORIZED' }))(exchange),
  );
  let token = 'old';
  let refreshes = 0;
  const client = shopClient(server.url, {
    headers: () => ({ authorization: `Bearer ${token}` }),
    onUnauthorized: async () => {
      refreshes += 1;
      token = 'new';
      return true;
    },
  });
  const both = [client.orders.place.mutate({ sku: 'tea' }), client.orders.place.mutate({ sku: 'milk' })];
  expect(await Promise.all(both)).toEqual([{ orderId: 'o1' }, { orderId: 'o1' }]);
  expect(refreshes).toBe(1);
  expect(server.arrived.length).toBe(4);
  expect(new Set(server.arrived.map(({ key }) => key)).size).toBe(2);
});
