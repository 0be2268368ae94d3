import { initTRPC } from '@trpc/server';
import { readIdempotency } from '@trpc-once/contract';
import { tcpProxy } from '@trpc-once/faulty-network';
import { createOnce, type OnceEvent, postgresRecords, redisClaims } from '@trpc-once/server';
import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { createBankTables, effects, type Sql } from '../bank/bank-tables.js';
import { signal } from '../invariants/signal.js';
import { freshDatabase, startRedis, until } from '../resources/index.js';

const leaseMs = 5_000;
const handlerMs = 7_000;

/** A server process with one idempotent procedure, called on the spot. */
function server(pool: Pool, redis: Redis, handler: (tx: Sql) => Promise<string>) {
  const events: OnceEvent[] = [];
  const once = createOnce<object, Sql>({
    records: postgresRecords(pool) as never,
    claims: redisClaims(redis),
    scope: () => 'ann',
    onEvent: (event) => events.push(event),
  });
  const t = initTRPC.context<object>().create();
  const router = t.router({
    act: t.procedure
      .use(once.idempotent({ t, leaseMs }))
      .mutation(({ ctx }) => handler((ctx as unknown as { tx: Sql }).tx)),
  });
  const act = () => router.createCaller(once.withKey({}, 'k1')).act();
  return { act, events, close: () => once.close() };
}

test('lease 5 s, handler 7 s, a second process takes over, the first then fails: the second’s claim survives, and a third caller gets IN_PROGRESS', async () => {
  await using database = await freshDatabase();
  await using redis = await startRedis();
  await using network = await tcpProxy({ upstream: { port: redis.port } });
  const pool = database.pool({ pipeline: true } as object);
  await createBankTables(pool);
  await postgresRecords(pool).migrate();
  const far = new Redis(Object.assign(new URL(redis.url), { port: network.port }).href);
  const near = new Redis(redis.url);
  const write = (tx: Sql) => tx.query(`INSERT INTO ledger (procedure, key, cents) VALUES ('act', 'k1', 0)`);

  const firstIsInside = signal();
  const firstFails = signal();
  const first = server(pool, far, async (tx) => {
    await write(tx);
    firstIsInside.give();
    await firstFails.given;
    throw new Error('the first fails');
  });
  const secondIsInside = signal();
  const secondGoesOn = signal();
  const second = server(pool, near, async (tx) => {
    await write(tx);
    secondIsInside.give();
    await secondGoesOn.given;
    return 'of the second';
  });
  const third = server(pool, near, async () => 'of the third');

  const beganAt = performance.now();
  const ofFirst = first.act().catch((error: unknown) => error);
  await firstIsInside.given;
  // What a process that is cut off looks like: its renewals do not arrive, and Postgres has ended its session.
  network.pause();
  await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'idle in transaction'`,
  );
  await until(async () => (await near.keys('once:*')).length === 0, { what: 'the first’s lease ends' });
  expect(performance.now() - beganAt).toBeGreaterThan(leaseMs - 100);
  const ofSecond = second.act();
  await secondIsInside.given;
  const [claim] = await near.keys('once:*');
  const owner = await near.hget(claim as string, 'owner');

  await until(() => performance.now() - beganAt > handlerMs, { what: 'the first’s handler is over' });
  network.resume();
  firstFails.give();
  expect(readIdempotency(await ofFirst)?.settlement).toBe('released');
  // It was let through to Redis: its release arrived there, and was refused.
  expect(first.events).toContainEqual({ type: 'claims-available', available: true });
  expect(await near.hget(claim as string, 'owner')).toBe(owner);
  await expect(third.act()).rejects.toMatchObject({ idempotency: { refusal: 'IN_PROGRESS' } });

  secondGoesOn.give();
  expect(await ofSecond).toBe('of the second');
  expect(await effects(pool)).toBe(1);
  await Promise.all([first.close(), second.close(), third.close()]);
  far.disconnect();
  near.disconnect();
});
