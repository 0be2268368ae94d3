import type { OnSettled } from '@trpc-once/client';
import type { AsyncStorageLike } from '@trpc-once/client/async-storage';
import { manifest } from '@trpc-once/contract';
import { until } from '@trpc-once/local-services';
import { beforeAll, expect, test } from 'vitest';
import { hang, html, loseAnswer, reset, result } from '../client/replies.js';
import { scriptedServer } from '../client/scripted-server.js';
import { shop } from '../client/shop-contract.js';
import { bundleApp } from './bundle-app.js';
import { startPhone } from './phone.js';
import { type FiredEvents, systemEvents } from './system-events.js';

const contract = manifest(shop);
const tea = { sku: 'tea' };
let bundle: string;

// About 10 s of processor time, most of it Babel's.
beforeAll(async () => {
  bundle = await bundleApp();
}, 300_000);

/** What the phone keeps when the app is killed. */
function disk(): AsyncStorageLike & { readonly items: Map<string, string> } {
  const items = new Map<string, string>();
  return {
    items,
    getItem: async (key) => items.get(key) ?? null,
    setItem: async (key, text) => void items.set(key, text),
    removeItem: async (key) => void items.delete(key),
    getAllKeys: async () => [...items.keys()],
  };
}

test('through lost answers, resets, gateway pages and timeouts a phone sends one key, and gets the outcome', async () => {
  await using server = await scriptedServer();
  using phone = startPhone(bundle);
  const kept = disk();
  const client = phone.app.open(contract, server.url, kept);
  server.next(loseAnswer, reset, html(502), hang);
  const retry = { attemptTimeoutMs: 500 };
  const order = await client.orders.place.mutate(tea, { intent: 'checkout:1', retry });
  expect(server.arrived.length).toBe(5);
  expect(new Set(server.arrived.map(({ key, body }) => `${key} ${body}`)).size).toBe(1);
  expect(server.effects).toEqual([order.orderId]);
  await client.outbox.close();
  expect(kept.items.size).toBe(0);
});

test('a phone whose app was killed in mid-flight resumes with the same key, and the outcome is told', async () => {
  await using server = await scriptedServer();
  const kept = disk();
  server.always(hang);
  using first = startPhone(bundle);
  first.app
    .open(contract, server.url, kept)
    .orders.place.mutate(tea)
    .catch(() => {});
  await until(() => server.arrived.length === 1);
  first.kill();
  expect(kept.items.size).toBe(1);
  server.always(result());
  const told: unknown[] = [];
  using second = startPhone(bundle);
  second.app.open(contract, server.url, kept, (operation, outcome) => {
    told.push([operation.key, outcome.ok && outcome.data]);
  });
  await until(() => told.length === 1 && kept.items.size === 0);
  const { key } = server.arrived[0]!;
  expect(told).toEqual([[key, { orderId: key }]]);
  expect(server.effects).toEqual([key]);
});

test('an aborted signal stops the waiting and not the operation', async () => {
  await using server = await scriptedServer();
  using phone = startPhone(bundle);
  const told: string[] = [];
  const client = phone.app.open(contract, server.url, disk(), ({ key }) => void told.push(key));
  let answer: () => unknown = () => {};
  server.next((exchange) => {
    answer = () => result()(exchange);
  });
  const controller = phone.app.abortable();
  const call = client.orders.place.mutate(tea, { signal: controller.signal });
  await until(() => server.arrived.length === 1);
  controller.abort();
  const error = await call.catch((error: unknown) => error);
  expect(phone.app.errors.isOutcomeUnknown(error)).toBe(true);
  expect(phone.app.errors.keyOf(error)).toBe(server.arrived[0]!.key);
  answer();
  await until(() => told.length === 1);
  expect(told).toEqual(server.effects);
});

test.each([
  ['the app is looked at again', (events: FiredEvents) => events.app('active')],
  ['the phone is online again', (events: FiredEvents) => events.net(true)],
])('what was given up goes on with its key when %s, and not before', async (_, happens) => {
  await using server = await scriptedServer();
  server.next(loseAnswer);
  using phone = startPhone(bundle);
  const events = systemEvents();
  const told: unknown[] = [];
  const onSettled: OnSettled = ({ key }, outcome) => void told.push([key, outcome.ok]);
  const client = phone.app.open(contract, server.url, disk(), onSettled, events);
  const error = await client.orders.place
    .mutate(tea, { retry: { maxAttempts: 1 } })
    .catch((thrown) => thrown);
  expect(phone.app.errors.isOutcomeUnknown(error)).toBe(true);
  for (const now of ['inactive', 'background'] as const) events.app(now);
  for (const now of [false, null]) events.net(now);
  expect(await client.outbox.list()).toHaveLength(1);
  expect(server.arrived).toHaveLength(1);
  happens(events);
  await until(() => told.length === 1);
  expect(told).toEqual([[server.arrived[0]!.key, true]]);
  expect(new Set(server.arrived.map(({ key }) => key)).size).toBe(1);
  await client.outbox.close();
  expect(events.listeners).toBe(0);
});

test('without crypto.getRandomValues a call is not sent, and is told what to install; with a key of its own it works', async () => {
  await using server = await scriptedServer();
  using phone = startPhone(bundle, { random: false });
  const client = phone.app.open(contract, server.url);
  const error = await client.orders.place.mutate(tea).catch((error: unknown) => error);
  expect(phone.app.errors.isNotSent(error)).toBe(true);
  expect((error as Error).message).toContain('react-native-get-random-values');
  expect(server.arrived).toEqual([]);
  expect(await client.orders.place.mutate(tea, { key: 'my-own' })).toEqual({ orderId: 'my-own' });
});

test('ordinary calls go their usual way', async () => {
  await using server = await scriptedServer();
  using phone = startPhone(bundle);
  const client = phone.app.open(contract, server.url);
  const both = await Promise.all([client.orders.byId.query('1'), client.orders.byId.query('2')]);
  expect(both).toEqual([{ orderId: 'orders.byId' }, { orderId: 'orders.byId' }]);
  expect(server.arrived.map(({ key }) => key)).toEqual([undefined]);
});

test('storages of browsers say that there are none on a phone, and a codec works without crypto.subtle', async () => {
  using phone = startPhone(bundle);
  const { indexedDbStorage, localStorageStorage } = phone.app.storages;
  for (const storage of [indexedDbStorage(), localStorageStorage()])
    await expect(storage.entries()).rejects.toMatchObject({ reason: 'unavailable' });
  const kept = disk();
  const storage = phone.app.encrypted(kept);
  const id = JSON.stringify(['ann', 'key']);
  await storage.set(id, 'text');
  expect(await storage.entries()).toMatchObject([{ id, text: 'text' }]);
  expect(JSON.stringify([...kept.items])).not.toContain('ann');
});
