import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIdempotentClient } from '@trpc-once/client';
import { fileStorage } from '@trpc-once/client/file';
import superjson from 'superjson';
import { expect, test } from 'vitest';
import { spawnProgram, until } from '../resources/index.js';
import { booking, type Halt, haltingClient } from './halting-client.js';
import { json, loseAnswer } from './replies.js';
import { scriptedServer } from './scripted-server.js';
import { calendar } from './shop-contract.js';

const booked = { at: new Date('2025-07-02T00:00:00Z'), seats: 2n };

/** Loses the first answer to each key, after the effect. */
async function forgetfulServer() {
  const server = await scriptedServer();
  const answer = json(200, { result: { data: superjson.serialize(booked) } });
  server.always((exchange) => {
    if (server.arrived.filter(({ key }) => key === exchange.key).length === 1) return loseAnswer(exchange);
    exchange.commit();
    return answer(exchange);
  });
  return server;
}

async function emptyDirectory() {
  const path = await mkdtemp(join(tmpdir(), 'outbox-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Every await of an operation whose first answer is lost. A new one belongs in here, or these tests fail. */
const awaits = {
  alone: ['read all', 'write persisted', 'send', 'write waiting', 'timer', 'send', 'write settled', 'delete'],
  shared: [
    // The intent.
    'read',
    'swap nothing for a lease',
    'read all',
    // The operation.
    'read',
    'swap nothing for a lease',
    'write persisted',
    'swap a lease for nothing',
    'send',
    'swap persisted for waiting',
    'swap a lease for nothing',
    'timer',
    // Looked at again before its turn, and once more when that has come.
    'read',
    'swap nothing for a lease',
    'read',
    'swap a lease for nothing',
    'read',
    'swap nothing for a lease',
    'read',
    'send',
    'swap waiting for settled',
    // Kept a while for those elsewhere who wait for it.
    'write settled',
    'swap a lease for nothing',
  ],
};

test.each(['alone', 'shared'] as const)('%s: all awaits of an operation are known', async (how) => {
  await using server = await forgetfulServer();
  await using directory = await emptyDirectory();
  const { client, touches } = haltingClient(server.url, directory.path, how === 'shared', {
    at: 0,
    moment: 'before',
  });
  expect(await client.book.mutate(booking(), { intent: 'book' })).toEqual(booked);
  await until(() => touches.length >= awaits[how].length);
  expect([...touches].sort()).toEqual([...awaits[how]].sort());
  await client.outbox.close();
});

test.each(['alone', 'shared'] as const)(
  '%s: a process killed at any await leaves the record or the outcome, the same bytes, and one effect',
  async (how) => {
    await using server = await forgetfulServer();
    await using directory = await emptyDirectory();
    await using victim = await spawnProgram(new URL('./halting-client-program.ts', import.meta.url), {
      args: [server.url, directory.path, how],
    });
    const points = awaits[how].flatMap((name, n) =>
      (['before', 'after'] as const).map((moment): Halt & { name: string } => ({
        name: `${moment} ${n + 1} ${name}`,
        at: n + 1,
        moment,
      })),
    );
    const heard = new Set<string>();
    const listen = async () => {
      for (;;) heard.add(await victim.hear<string>('heard', 60_000));
    };
    listen().catch(() => {});
    victim.tell('halt at', points);
    await victim.hear('all halted', 50_000);
    await victim.kill();
    await Promise.all(
      points.map(async ({ name }) => {
        const told: string[] = [];
        const client = createIdempotentClient({
          contract: calendar,
          url: server.url,
          owner: () => 'ann',
          storage: fileStorage(join(directory.path, name), { shared: how === 'shared' }),
          onSettled: ({ key }, outcome) => {
            expect(outcome, name).toEqual({ ok: true, data: booked });
            told.push(key);
          },
          resumeOnStart: false,
        });
        const kept = (await client.outbox.list()).map(({ key }) => key);
        expect(await client.outbox.resume(), name).toEqual({ settled: kept.length, pending: 0 });
        expect(told, name).toEqual(kept);
        expect(await client.outbox.list(), name).toEqual([]);
        // Neither kept nor heard of: then nothing had left.
        const sent = server.arrived.filter(({ key }) => kept.includes(key!));
        expect(kept.length === 1 || heard.has(name) || isBeforeInsert(name, how), name).toBe(true);
        if (kept.length === 1) expect(server.effects.filter((key) => key === kept[0]).length, name).toBe(1);
        expect(new Set(sent.map(({ body }) => body)).size, name).toBeLessThanOrEqual(1);
        await client.outbox.close();
      }),
    );
    const calls = server.arrived.filter(({ key }) => key !== undefined);
    const keys = new Set(calls.map(({ key }) => key));
    expect(new Set(calls.map(({ key, body }) => `${key} ${body}`)).size).toBe(keys.size);
    expect(new Set(calls.map(({ body }) => body)).size).toBe(1);
    // No effect that nobody knows of: each is one of a point's whose record or answer was there.
    expect(server.effects.length).toBe(
      points.length - points.filter(({ name }) => isBeforeInsert(name, how)).length,
    );
  },
);

function isBeforeInsert(name: string, how: keyof typeof awaits): boolean {
  const [moment, at] = name.split(' ');
  const insert = awaits[how].indexOf('write persisted') + 1;
  return Number(at) < insert || (Number(at) === insert && moment === 'before');
}
