import { expect, test } from 'vitest';
import { shopClient } from './clients.js';
import { hang, result } from './replies.js';
import { scriptedServer } from './scripted-server.js';

test('case 1: of one tick, each idempotent call is a request with a key of its own, and the ordinary ones share a batch', async () => {
  await using server = await scriptedServer();
  const client = shopClient(server.url);
  const calls = [client.orders.place.mutate({ sku: 'tea' }), client.counter.increment.mutate()];
  const ordinary = [
    client.orders.byId.query('o1'),
    client.orders.byId.query('o2'),
    client.orders.byId.query('o3'),
  ];
  await Promise.all([...calls, ...ordinary]);
  const keyed = server.arrived.filter(({ key }) => key !== undefined);
  expect(keyed.map(({ path, search }) => path + search).sort()).toEqual([
    'counter.increment',
    'orders.place',
  ]);
  expect(new Set(keyed.map(({ key }) => key)).size).toBe(2);
  const rest = server.arrived.filter(({ key }) => key === undefined);
  expect(rest.map(({ path }) => path)).toEqual(['orders.byId,orders.byId,orders.byId']);
});

test('case 2: of two calls, the one that times out settles at its own deadline and the other at its own', async () => {
  await using server = await scriptedServer();
  server.always((exchange) => (exchange.body.includes('stuck') ? hang(exchange) : result()(exchange)));
  const client = shopClient(server.url);
  const began = performance.now();
  const ends: Record<string, number> = {};
  const note = (name: string) => () => {
    ends[name] = performance.now() - began;
  };
  const stuck = client.orders.place.mutate(
    { sku: 'stuck' },
    { waitMs: 700, retry: { attemptTimeoutMs: 200 } },
  );
  const fine = client.orders.place.mutate({ sku: 'fine' });
  const outcomes = Promise.allSettled([stuck, fine]);
  stuck.then(note('stuck'), note('stuck'));
  fine.then(note('fine'), note('fine'));
  const [first, second] = await outcomes;
  expect(first).toMatchObject({ status: 'rejected', reason: { name: 'OutcomeUnknownError' } });
  expect(second).toMatchObject({ status: 'fulfilled' });
  expect(ends['fine']).toBeLessThan(ends['stuck']!);
  expect(ends['stuck']).toBeLessThan(1_500);
  await client.outbox.close();
});

test('an input that no batch can carry goes as a request of its own', async () => {
  await using server = await scriptedServer();
  const form = new FormData();
  form.set('note', 'text');
  await shopClient(server.url).notes.add.mutate(form as never);
  expect(server.arrived.map(({ search }) => search)).toEqual(['']);
  expect(server.arrived[0]!.headers['content-type']).toContain('multipart/form-data');
});

test('no input is no body, as tRPC itself sends it', async () => {
  await using server = await scriptedServer();
  server.always(result(7));
  expect(await shopClient(server.url).counter.increment.mutate()).toBe(7);
  const { body, headers } = server.arrived[0]!;
  expect([body, headers['content-length']]).toEqual(['', '0']);
});
