import { startRedis } from '@trpc-once/local-services';
import { postgresRecords, redisClaims } from '@trpc-once/server';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createBankTables } from '../bank/bank-tables.js';
import { effects, heldHandler, oneEuro, openBank, send, startBank } from '../bank/index.js';
import { freshDatabase, until } from '../resources/index.js';

test('Redis flushed before the retry: the record replays, and Redis is told again', async () => {
  await using bank = await openBank();
  const first = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  await until(async () => (await bank.claimKeys()).length === 1, { withinMs: 5_000, what: 'Redis is told' });
  await bank.flushClaims();
  const second = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(second.text).toBe(first.text);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  await until(async () => (await bank.claimKeys()).length === 1, { withinMs: 5_000, what: 'Redis is told' });
  expect(await effects(bank.db)).toBe(1);
});

test('Redis flushed in mid-run: a second instance is held off by Postgres, and both callers get one outcome', async () => {
  const handler = heldHandler();
  let runs = 0;
  await using bank = await openBank({
    instances: 2,
    hooks: {
      before() {
        runs++;
        return handler.before();
      },
    },
  });
  const first = send(bank.instances[0]!.url, 'transfer', oneEuro, { key: 'k1' });
  await handler.inside;
  await bank.flushClaims();
  const second = await send(bank.instances[1]!.url, 'transfer', oneEuro, { key: 'k1' });
  expect(second.body.error.data.idempotency.refusal).toBe('IN_PROGRESS');
  handler.goOn();
  const settled = await first;
  expect(settled.status).toBe(200);
  expect((await send(bank.instances[1]!.url, 'transfer', oneEuro, { key: 'k1' })).text).toBe(settled.text);
  expect(runs).toBe(1);
  expect(await effects(bank.db)).toBe(1);
});

test('a claim that was lost in mid-run is taken again by the renewal', async () => {
  const handler = heldHandler();
  await using bank = await openBank({
    hooks: handler,
  });
  const first = send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  await handler.inside;
  await bank.flushClaims();
  await until(async () => (await bank.claimKeys()).length === 1, { withinMs: 5_000, what: 'it is renewed' });
  handler.goOn();
  expect((await first).status).toBe(200);
});

test('Redis gone, frozen and back: Postgres alone keeps the promise in bounded time, and Redis is used again by itself', async () => {
  await using database = await freshDatabase();
  await using redis = await startRedis();
  const pool = database.pool();
  await createBankTables(pool);
  const client = new Redis(redis.url, { retryStrategy: () => 50 });
  client.on('error', () => {});
  const claims = redisClaims(client);
  await using bank = await startBank({ db: pool, records: postgresRecords(pool) as never, claims });
  await bank.once.migrate();
  const available = () => bank.events.filter((event) => event.type === 'claims-available');

  const before = await send(bank.url, 'transfer', oneEuro, { key: 'before' });
  redis.pause();
  for (const key of ['before', 'k1', 'k1', 'k2', 'k3', 'k3']) {
    const beganAt = performance.now();
    const answer = await send(bank.url, 'transfer', oneEuro, { key });
    expect(answer.status).toBe(200);
    expect(performance.now() - beganAt).toBeLessThan(2_000);
    if (key === 'before') expect(answer.text).toBe(before.text);
  }
  expect(await effects(pool)).toBe(4);
  expect(available()).toEqual([{ type: 'claims-available', available: false }]);

  redis.resume();
  await until(
    async () => {
      await send(bank.url, 'transfer', oneEuro, { key: 'k3' });
      return available().at(-1)?.available === true;
    },
    { withinMs: 15_000, what: 'the breaker closes' },
  );

  await redis.kill();
  for (const key of ['before', 'k4', 'k4', 'k5']) {
    const answer = await send(bank.url, 'transfer', oneEuro, { key });
    expect(answer.status).toBe(200);
  }
  expect(await effects(pool)).toBe(6);
  client.disconnect();
});
