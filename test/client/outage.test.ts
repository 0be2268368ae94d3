import { memoryStorage } from '@trpc-once/client';
import { defaultRetryPolicy as retry } from '@trpc-once/contract';
import { expect, test, vi } from 'vitest';
import { shopClient } from './clients.js';
import { loseAnswer, result } from './replies.js';
import { scriptedServer } from './scripted-server.js';

const OPERATIONS = 120;

/** What the origin's budget lets through beside first attempts, and a few probes. */
const REPEATED = 100 + 10;

const passing = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test(`${OPERATIONS} operations that lose their answers in one outage repeat next to nothing, and all settle after it`, async () => {
  await using server = await scriptedServer();
  server.always(loseAnswer);
  // The policy that apps have; every draw is early, so that what is waited for here comes soon.
  const options = { storage: memoryStorage(), random: () => 0.1, retry };
  const client = shopClient(server.url, options);
  const calls = Array.from({ length: OPERATIONS }, (_, n) => client.orders.place.mutate({ sku: `tea-${n}` }));
  const failed = () => client.outbox.snapshot().filter(({ state }) => state === 'waiting').length;
  await vi.waitFor(() => expect(failed()).toBe(OPERATIONS), 30_000);
  // By its own backoff alone each one would be sent five times by then.
  await passing(2_000);
  expect(server.arrived.length).toBeLessThanOrEqual(OPERATIONS + REPEATED);

  // A second client of the same origin resumes all of it: out of the same budget.
  const before = server.arrived.length;
  const second = shopClient(server.url, options);
  void second.outbox.resume();
  await vi.waitFor(() => expect(server.arrived.length).toBeGreaterThan(before), 30_000);
  expect(server.arrived.length).toBeLessThanOrEqual(before + 10);
  await second.outbox.close();

  // It is over: one attempt goes first, and the others once that was answered.
  const held: (() => unknown)[] = [];
  server.always((exchange) => void held.push(() => result()(exchange)));
  await vi.waitFor(() => expect(held.length).toBeGreaterThan(0), 30_000);
  await passing(1_000);
  expect(held.length).toBe(1);
  server.always(result());
  held[0]?.();
  const keys = await Promise.all(calls.map(async (call) => (await call).orderId));
  expect([...server.effects].sort()).toEqual([...keys].sort());
  expect(new Set(keys).size).toBe(OPERATIONS);
  expect(await client.outbox.list()).toEqual([]);
}, 60_000);
