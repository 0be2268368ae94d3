import { indexedDbStorage } from '@trpc-once/client';
import { useOutbox } from '@trpc-once/client/react';
import { until } from '@trpc-once/local-services';
import { IDBFactory } from 'fake-indexeddb';
import { expect, test } from 'vitest';
import { shopClient } from '../client/clients.js';
import { loseAnswer, trpcError } from '../client/replies.js';
import { scriptedServer } from '../client/scripted-server.js';
import { Checkout, type Client } from './checkout.js';
import { held } from './held.js';
import { mount } from './mount.js';

const impatient = { maxAttempts: 1 };

test('after a reload a component finds its operation by the intent, and its outcome goes to it once', async () => {
  await using server = await scriptedServer();
  const answer = held();
  const storage = () => indexedDbStorage({ indexedDB });
  const indexedDB = new IDBFactory();
  server.next(loseAnswer, answer.reply);
  const before = shopClient(server.url, { storage: storage(), retry: impatient });
  const old = mount(<Checkout client={before} intent="checkout:1" />);
  old.tap('place');
  await old.shows(/^unknown 1/);
  old.unmount();
  await before.outbox.close();

  const told: unknown[] = [];
  const ofClient: unknown[] = [];
  const client = shopClient(server.url, {
    storage: storage(),
    onSettled: ({ intent }) => void ofClient.push(intent),
  });
  using page = mount(
    <Checkout client={client} intent="checkout:1" onSettled={(outcome) => told.push(outcome)} />,
  );
  await page.shows(/^sending 2/);
  answer.release();
  await page.shows(/^settled after 2/);
  expect(told).toEqual([{ ok: true, data: { orderId: server.effects[0] } }]);
  expect(ofClient).toEqual([]);
  expect(server.effects).toHaveLength(1);
  expect(new Set(server.arrived.map(({ key }) => key)).size).toBe(1);
  await client.outbox.close();
});

test('the same tap after a reload, before anything was resumed, joins what is in storage', async () => {
  await using server = await scriptedServer();
  const indexedDB = new IDBFactory();
  server.next(loseAnswer);
  const before = shopClient(server.url, { storage: indexedDbStorage({ indexedDB }), retry: impatient });
  await before.orders.place.mutate({ sku: 'tea' }, { intent: 'checkout:1' }).catch(() => {});
  await before.outbox.close();
  const client = shopClient(server.url, {
    storage: indexedDbStorage({ indexedDB }),
    resumeOnStart: false,
  });
  using page = mount(<Checkout client={client} intent="checkout:1" />);
  // Nobody resumes it, and it is seen all the same.
  await page.shows(/^unknown 1/);
  page.tap('place', 2);
  await page.shows(/^settled after 2/);
  expect(server.effects).toHaveLength(1);
  expect(new Set(server.arrived.map(({ key }) => key)).size).toBe(1);
  await client.outbox.close();
});

test('an operation that is gone from storage is unknown, and the next tap asks for it under the same key', async () => {
  await using server = await scriptedServer();
  const storage = indexedDbStorage({ indexedDB: new IDBFactory() });
  server.next(loseAnswer);
  const client = shopClient(server.url, { storage, retry: impatient });
  using page = mount(<Checkout client={client} intent="checkout:1" />);
  page.tap('place');
  await page.shows(/^unknown 1/);
  for (const { id } of await storage.entries()) await storage.delete(id);
  expect(await client.outbox.list()).toEqual([]);
  await page.shows(/^unknown 1/);
  page.tap('place');
  await page.shows(/^settled after 1/);
  expect(server.effects).toHaveLength(1);
  expect(new Set(server.arrived.map(({ key }) => key)).size).toBe(1);
  await client.outbox.close();
});

test('a key of the app’s own is the only one that ever is sent, also when the operation was removed while it was asked for', async () => {
  await using server = await scriptedServer();
  const storage = indexedDbStorage({ indexedDB: new IDBFactory() });
  const declared = { name: 'OUT_OF_STOCK', data: { sku: 'tea' } };
  const turnedDown = trpcError(409, { declared, facts: { settlement: 'settled' } });
  const answer = held(turnedDown);
  server.next(answer.reply);
  server.always(turnedDown);
  const client = shopClient(server.url, { storage });
  // React keeps a prop of that name to itself.
  const CartOne = () => Checkout({ client, intent: 'checkout:1', key: 'cart-1' });
  using page = mount(<CartOne />);
  page.tap('place');
  await answer.asked;
  for (const { id } of await storage.entries()) await storage.delete(id);
  answer.release();
  await page.shows(/^turned down/);
  page.tap('place');
  await until(() => server.arrived.length === 2);
  await page.shows(/^turned down/);
  expect(server.arrived.map(({ key }) => key)).toEqual(['cart-1', 'cart-1']);
  await client.outbox.close();
});

test('with a key of the app’s own, a tap after a refusal shows what came of that tap, not the refusal', async () => {
  await using server = await scriptedServer();
  server.next(trpcError(403, { code: 'FORBIDDEN' }));
  const client = shopClient(server.url, { storage: indexedDbStorage({ indexedDB: new IDBFactory() }) });
  const CartOne = () => Checkout({ client, intent: 'checkout:1', key: 'cart-1' });
  using page = mount(<CartOne />);
  page.tap('place');
  await page.shows(/^refused/);
  page.tap('place');
  await page.shows(/^settled/);
  expect(server.arrived.map(({ key }) => key)).toEqual(['cart-1', 'cart-1']);
  await client.outbox.close();
});

test('when another operation takes the place of one that is gone, the component follows that one', async () => {
  await using server = await scriptedServer();
  const storage = indexedDbStorage({ indexedDB: new IDBFactory() });
  const answer = held();
  server.next(loseAnswer, answer.reply);
  const client = shopClient(server.url, { storage, retry: impatient });
  using page = mount(<Checkout client={client} intent="checkout:1" />);
  page.tap('place');
  await page.shows(/^unknown 1/);
  for (const { id } of await storage.entries()) await storage.delete(id);
  await client.outbox.list();
  const other = client.orders.place.mutate({ sku: 'tea' }, { intent: 'checkout:1' });
  await answer.asked;
  await page.shows(/^sending 1/);
  answer.release();
  await other;
  await page.shows(/^settled after 1/);
  await client.outbox.close();
});

test('useOutbox shows what is pending, what a reload found included, and nothing of it afterwards', async () => {
  await using server = await scriptedServer();
  const indexedDB = new IDBFactory();
  server.next(loseAnswer);
  const before = shopClient(server.url, { storage: indexedDbStorage({ indexedDB }), retry: impatient });
  await before.orders.place.mutate({ sku: 'tea' }, { intent: 'checkout:1' }).catch(() => {});
  await before.outbox.close();
  const told: unknown[] = [];
  const client = shopClient(server.url, {
    storage: indexedDbStorage({ indexedDB }),
    resumeOnStart: false,
    onSettled: ({ key }) => void told.push(key),
  });
  using page = mount(<Pending client={client} />);
  await page.shows('checkout:1 waiting 1');
  await client.outbox.resume();
  await page.shows('');
  await until(() => told.length === 1);
  await client.outbox.close();
});

function Pending({ client }: { readonly client: Client }) {
  const line = useOutbox(client.outbox).map(
    ({ intent, state, attempts }) => `${intent} ${state} ${attempts}`,
  );
  return <p>{line.join()}</p>;
}
