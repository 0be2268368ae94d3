import { createTRPCClient, httpLink } from '@trpc/client';
import { createIdempotentClient, memoryStorage } from '@trpc-once/client';
import type { RouterOf } from '@trpc-once/contract';
import { manifest } from '@trpc-once/contract';
import superjson from 'superjson';
import { expect, test } from 'vitest';
import { json, loseAnswer } from './replies.js';
import { scriptedServer } from './scripted-server.js';
import { calendar } from './shop-contract.js';

const input = {
  from: new Date('2025-07-01T10:00:00Z'),
  tags: new Set(['a', 'b']),
  seats: 12_345_678_901_234_567_890n,
  by: new Map([['ann', 1]]),
};
const booked = { at: new Date('2025-07-02T00:00:00Z'), seats: 2n };
const answer = json(200, { result: { data: superjson.serialize(booked) } });

test("the wire body is tRPC's own, byte for byte, in every attempt", async () => {
  await using server = await scriptedServer();
  server.always(answer);
  const plain = createTRPCClient<RouterOf<typeof calendar>>({
    links: [httpLink({ url: server.url, transformer: superjson })],
  });
  await plain.book.mutate(input);
  const [{ body } = { body: '' }] = server.arrived;
  server.next(loseAnswer);
  const client = createIdempotentClient({
    contract: calendar,
    url: server.url,
    owner: () => null,
    storage: memoryStorage(),
  });
  expect(await client.book.mutate(input)).toEqual(booked);
  expect(server.arrived.map((one) => one.body)).toEqual([body, body, body]);
});

test('after a reload the bytes are the same, and the outcome is decoded', async () => {
  await using server = await scriptedServer();
  const storage = memoryStorage();
  const options = { contract: calendar, url: server.url, owner: () => null, storage };
  server.next(loseAnswer);
  const first = createIdempotentClient(options);
  await first.book.mutate(input, { retry: { maxAttempts: 1 } }).catch(() => {});
  server.always(answer);
  const told: unknown[] = [];
  const reloaded = createIdempotentClient({ ...options, onSettled: (_, outcome) => void told.push(outcome) });
  expect(await reloaded.outbox.resume()).toEqual({ settled: 1, pending: 0 });
  expect(told).toEqual([{ ok: true, data: booked }]);
  expect(server.arrived[1]!.body).toBe(server.arrived[0]!.body);
  expect(server.arrived[1]!.key).toBe(server.arrived[0]!.key);
});

test('a manifest is given the transformer beside it', async () => {
  await using server = await scriptedServer();
  server.always(answer);
  const client = createIdempotentClient({
    contract: manifest(calendar),
    transformer: superjson,
    url: server.url,
    owner: () => null,
    storage: memoryStorage(),
  });
  expect(await client.book.mutate(input)).toEqual(booked);
});

test('equal inputs of one intent are one operation, whichever of their Dates are one, and its bytes stay those of the first call', async () => {
  await using server = await scriptedServer();
  const client = createIdempotentClient({
    contract: calendar,
    url: server.url,
    owner: () => null,
    storage: memoryStorage(),
  });
  const day = (ms = 0) => new Date(ms);
  const once = day();
  const called = [
    { ...input, from: once, until: once },
    { ...input, until: day(), from: day() },
    { until: once, ...input, from: once },
  ];
  const edited = { ...input, from: once, until: day(1) };
  server.next(loseAnswer);
  server.always(answer);
  const intent = 'book';
  const calls = called.map((one) => client.book.mutate(one, { intent }));
  await expect(client.book.mutate(edited, { intent })).rejects.toMatchObject({ name: 'IntentConflictError' });
  expect(await Promise.all(calls)).toEqual([booked, booked, booked]);
  expect(new Set(server.arrived.map(({ key }) => key)).size).toBe(1);
  const bodies = new Set(server.arrived.map(({ body }) => body));
  expect([...bodies]).toEqual([JSON.stringify(superjson.serialize(called[0]))]);
});
