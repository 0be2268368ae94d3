import {
  createIdempotentClient,
  indexedDbStorage,
  localStorageStorage,
  type OutboxStorage,
} from '@trpc-once/client';
import { IDBFactory } from 'fake-indexeddb';
import { expect, test } from 'vitest';
import { WebStorage } from '../conformance/web-storage.js';
import { until } from '../resources/index.js';
import { afterCommit, html } from './replies.js';
import { scriptedServer } from './scripted-server.js';
import { shop } from './shop-contract.js';

const places: [string, () => () => OutboxStorage][] = [
  [
    'IndexedDB',
    () => {
      const indexedDB = new IDBFactory();
      return () => indexedDbStorage({ indexedDB });
    },
  ],
  [
    'localStorage',
    () => {
      const storage = new WebStorage();
      return () => localStorageStorage({ storage });
    },
  ],
];

test.each(places)(
  '%s: a page that reloads goes on with the same key, without a component or a call',
  async (_, place) => {
    await using server = await scriptedServer();
    const storage = place();
    const common = { contract: shop, url: server.url, owner: () => 'ann' };
    server.next(afterCommit(html(504)));
    const page = createIdempotentClient({ ...common, storage: storage(), retry: { maxAttempts: 1 } });
    await expect(page.orders.place.mutate({ sku: 'tea' }, { intent: 'checkout:1' })).rejects.toMatchObject({
      name: 'OutcomeUnknownError',
    });
    await page.outbox.close();
    const told: unknown[] = [];
    const reloaded = createIdempotentClient({
      ...common,
      storage: storage(),
      onSettled: ({ intent }, outcome) => void told.push({ intent, outcome }),
    });
    await until(() => told.length > 0);
    const [key] = server.effects;
    expect(told).toEqual([{ intent: 'checkout:1', outcome: { ok: true, data: { orderId: key } } }]);
    expect(server.arrived.map((one) => one.key)).toEqual([key, key]);
    await reloaded.outbox.close();
    const again = createIdempotentClient({ ...common, storage: storage() });
    expect(await again.outbox.list()).toEqual([]);
    await again.outbox.close();
  },
);

test.each(places)(
  '%s: case 46: what one user left is not sent for the next, and is when the first is back',
  async (_, place) => {
    await using server = await scriptedServer();
    const storage = place()();
    let user = 'ann';
    const client = createIdempotentClient({
      contract: shop,
      url: server.url,
      owner: () => user,
      storage,
      retry: { maxAttempts: 1 },
      headers: () => ({ 'x-user': user }),
    });
    server.next(afterCommit(html(504)));
    const { key }: any = await client.orders.place.mutate({ sku: 'tea' }).catch((error: unknown) => error);
    user = 'ben';
    expect(await client.outbox.list()).toEqual([]);
    expect(await client.outbox.resume()).toEqual({ settled: 0, pending: 0 });
    await client.orders.place.mutate({ sku: 'milk' });
    user = 'ann';
    expect(await client.outbox.list()).toMatchObject([{ key }]);
    expect(await client.outbox.resume(key)).toEqual({ orderId: key });
    expect(server.arrived.map(({ headers, body }) => [headers['x-user'], JSON.parse(body).sku])).toEqual([
      ['ann', 'tea'],
      ['ben', 'milk'],
      ['ann', 'tea'],
    ]);
    await client.outbox.close();
  },
);

test('case 52: a full or forbidden storage refuses the call before a byte is sent', async () => {
  await using server = await scriptedServer();
  const common = { contract: shop, url: server.url, owner: () => 'ann', resumeOnStart: false };
  const full = createIdempotentClient({
    ...common,
    storage: localStorageStorage({ storage: new WebStorage(100) }),
  });
  await expect(full.orders.place.mutate({ sku: 'tea' })).rejects.toMatchObject({
    name: 'NotSentError',
    cause: { reason: 'quota' },
  });
  const forbidden = createIdempotentClient({ ...common, storage: indexedDbStorage() });
  await expect(forbidden.orders.place.mutate({ sku: 'tea' })).rejects.toMatchObject({
    name: 'NotSentError',
    cause: { reason: 'unavailable' },
  });
  expect(server.arrived).toEqual([]);
  expect(await full.orders.byId.query('o1')).toEqual({ orderId: 'orders.byId' });
});
