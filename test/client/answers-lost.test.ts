import { createIdempotentClient, memoryStorage } from '@trpc-once/client';
import { expect, test } from 'vitest';
import { loseAnswer } from './replies.js';
import { scriptedServer } from './scripted-server.js';
import { shop } from './shop-contract.js';

test('an answer lost after commit is asked for again with the same key, and the effect is there once', async () => {
  await using server = await scriptedServer();
  server.next(loseAnswer);
  const client = createIdempotentClient({
    contract: shop,
    url: server.url,
    owner: () => 'ann',
    storage: memoryStorage(),
  });
  const order = await client.orders.place.mutate({ sku: 'tea' });
  expect(server.arrived.length).toBe(2);
  expect(order).toEqual({ orderId: server.arrived[0]!.key });
  expect(server.effects).toEqual([server.arrived[0]!.key]);
});
