import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTRPCClient } from '@trpc/client';
import { createIdempotentClient, type IdempotencyOptions, idempotencyLink } from '@trpc-once/client';
import { fileStorage } from '@trpc-once/client/file';
import type { RouterOf } from '@trpc-once/contract';
import { expect, test } from 'vitest';
import { freePort, spawnProgram, until } from '../resources/index.js';
import { loseAnswer, result } from './replies.js';
import { scriptedServer } from './scripted-server.js';
import { shop } from './shop-contract.js';

async function emptyDirectory() {
  const path = await mkdtemp(join(tmpdir(), 'outbox-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const kinds = [
  [
    'createIdempotentClient',
    (options: IdempotencyOptions) => createIdempotentClient({ ...options, contract: shop }),
  ],
  [
    'idempotencyLink',
    (options: IdempotencyOptions) => {
      const link = idempotencyLink(options);
      const { orders } = createTRPCClient<RouterOf<typeof shop>>({ links: [link] });
      return { orders, outbox: link.outbox };
    },
  ],
] as const;

/** A service whose policy is over in milliseconds, and which asks again by time every some hundred of them. */
function service(kind: (typeof kinds)[number][1], url: string, directory: string) {
  const told: unknown[] = [];
  const client = kind({
    contract: shop,
    url,
    owner: () => 'ann',
    storage: fileStorage(directory),
    retry: { maxAttempts: 2, minDelayMs: 5, maxDelayMs: 10 },
    resumeByTime: { minDelayMs: 100, maxDelayMs: 400 },
    onSettled: ({ key }, outcome) => void told.push([key, outcome]),
  });
  let sent = 0;
  client.outbox.subscribe(({ type }) => {
    if (type === 'sending') sent += 1;
  });
  return { ...client, client, told, sent: () => sent };
}

test.each(kinds)(
  '%s: an order that a server was away for longer than its policy settles when it is back, nobody calling, and onSettled hears',
  async (_, kind) => {
    await using directory = await emptyDirectory();
    const port = await freePort();
    const { client, told, sent } = service(kind, `http://127.0.0.1:${port}/trpc`, directory.path);
    const unknown: any = await client.orders.place.mutate({ sku: 'tea' }).catch((error: unknown) => error);
    expect(unknown).toMatchObject({ name: 'OutcomeUnknownError', reason: 'attempts-spent', attempts: 2 });
    // Some in vain, so that it is not the first one that finds the server.
    await until(() => sent() >= 5);
    await using server = await scriptedServer(port);
    await until(() => told.length > 0);
    expect(told).toEqual([[unknown.key, { ok: true, data: { orderId: unknown.key } }]]);
    expect(server.effects).toEqual([unknown.key]);
    expect(await client.outbox.list()).toEqual([]);
    await client.outbox.close();
  },
);

test('an order that took effect while every answer was lost settles as that order once answers come through', async () => {
  await using directory = await emptyDirectory();
  await using server = await scriptedServer();
  server.always(loseAnswer);
  const { client, told } = service(kinds[0][1], server.url, directory.path);
  const unknown: any = await client.orders.place.mutate({ sku: 'tea' }).catch((error: unknown) => error);
  await until(() => server.arrived.length >= 5);
  server.always(result());
  await until(() => told.length > 0);
  expect(told).toEqual([[unknown.key, { ok: true, data: { orderId: unknown.key } }]]);
  expect(server.effects).toEqual([unknown.key]);
  expect(new Set(server.arrived.map(({ key, body }) => `${key} ${body}`)).size).toBe(1);
  await client.outbox.close();
});

test('an operation that rests keeps no process alive', async () => {
  await using directory = await emptyDirectory();
  const url = `http://127.0.0.1:${await freePort()}/trpc`;
  const file = new URL('./resting-client-program.ts', import.meta.url);
  await using program = await spawnProgram<string>(file, { args: [url, directory.path] });
  expect(program.ready).toBe('OutcomeUnknownError');
  // It would ask again after half a minute at the earliest, and so go on for ever.
  expect(await program.exited).toEqual({ code: 0, signal: null });
});
