import { type LocalRedisSentinels, startRedisSentinels } from '@trpc-once/local-services';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { effects, oneEuro, send, totalCents } from '../bank/index.js';
import type { Bank } from '../bank/start-bank.js';
import { claimAvailability, claimFailures } from '../faults/claim-events.js';
import { signal } from '../invariants/signal.js';
import { until } from '../resources/index.js';
import { bankOver } from './bank-over.js';
import { sameAnswers } from './same-answers.js';

/** Longer than a claim's time limit, a transaction and a busy machine take together. */
const BOUND_MS = 5_000;

/** A client that asks the sentinels where the primary is, as an application has it. */
const throughSentinels = ({ addresses, name, password }: LocalRedisSentinels) =>
  new Redis({ sentinels: addresses, name, password, sentinelPassword: password, retryStrategy: () => 50 });

async function comesBack(each: Bank, ask: () => Promise<unknown>): Promise<void> {
  const isBack = async () => {
    await ask();
    return claimAvailability(each).at(-1) !== false;
  };
  await until(isBack, { withinMs: 30_000, everyMs: 100, what: 'the breaker closes' });
}

test('the primary is killed and a replica that knew less takes its place: no second effect, one outcome for all, events tell, and it is used again by itself', async () => {
  await using redis = await startRedisSentinels();
  const held = { half: signal(), slow: signal() };
  const inside = { half: signal(), slow: signal() };
  await using bank = await bankOver({
    instances: 2,
    client: () => throughSentinels(redis),
    hooks: {
      async before({ key }) {
        if (key !== 'half' && key !== 'slow') return;
        inside[key].give();
        await held[key].given;
      },
    },
  });
  const [one, other] = bank.instances as [Bank, Bank];
  const answers = sameAnswers();
  const ask = async (key: string) => {
    for (const { url } of bank.instances) await answers.outcome(url, key, BOUND_MS);
  };
  await ask('before');
  const half = answers.ask(one.url, 'half', 60_000);
  await inside.half.given;

  // From here the replica hears nothing more: "half" stays in progress for it, and what comes now is unknown to it.
  const replica = new Redis(redis.replica.url);
  await until(async () => (await replica.keys('once:*')).length === 2, {
    what: 'the replica has both claims',
  });
  await replica.config('SET', 'masterauth', 'another');
  await replica.call('CLIENT', 'KILL', 'TYPE', 'master');
  await until(async () => (await replica.info('replication')).includes('master_link_status:down'));
  held.half.give();
  expect((await half).status).toBe(200);
  await ask('unknown-to-the-replica');
  const slow = answers.ask(one.url, 'slow', 60_000);
  await inside.slow.given;

  await redis.primary.kill();
  for (const key of ['before', 'half', 'unknown-to-the-replica', 'k1', 'k2', 'k3']) await ask(key);
  for (const each of bank.instances) {
    expect(claimFailures(each).length).toBeGreaterThanOrEqual(3);
    expect(claimAvailability(each)[0]).toBe(false);
  }
  await until(async () => (await redis.primaryPort()) === redis.replica.port, { withinMs: 30_000 });
  for (const each of bank.instances) await comesBack(each, () => answers.ask(each.url, 'k1', BOUND_MS));
  expect((await replica.role())[0]).toBe('master');

  const duplicate = await send(other.url, 'transfer', oneEuro, { key: 'slow' });
  expect(duplicate.body.error.data.idempotency.refusal).toBe('IN_PROGRESS');
  held.slow.give();
  expect((await slow).status).toBe(200);
  const keys = ['before', 'half', 'unknown-to-the-replica', 'k1', 'k2', 'k3', 'slow', 'after'];
  for (const key of keys) await ask(key);
  await replica.flushall();
  for (const key of keys) await ask(key);
  expect(await effects(bank.db)).toBe(keys.length);
  expect(await totalCents(bank.db)).toBe(200_000);
  replica.disconnect();
});

test('a failover by command in mid-run: calls go on, and whoever stays with the old primary, now a read-only replica, goes on with Postgres', async () => {
  await using redis = await startRedisSentinels();
  const clients = [() => new Redis(redis.primary.url), () => throughSentinels(redis)];
  await using bank = await bankOver({ instances: 2, client: () => clients.shift()!() });
  const [staying, following] = bank.instances as [Bank, Bank];
  const answers = sameAnswers();
  let n = 0;
  const askSomethingNew = async () => {
    const key = `k${n++}`;
    for (const { url } of bank.instances) await answers.outcome(url, key, BOUND_MS);
  };
  await askSomethingNew();
  await redis.failOver();
  await until(
    async () => {
      await askSomethingNew();
      return (await redis.primaryPort()) === redis.replica.port;
    },
    { withinMs: 30_000, what: 'the sentinels have failed over' },
  );
  await comesBack(following, askSomethingNew);
  await until(
    async () => {
      await askSomethingNew();
      return claimFailures(staying).some((failure) => failure.includes('READONLY'));
    },
    { withinMs: 30_000, everyMs: 100, what: 'the old primary refuses to write' },
  );
  for (let more = 0; more < 5; more++) await askSomethingNew();
  expect(claimAvailability(staying).at(-1)).toBe(false);
  const promoted = new Redis(redis.replica.url);
  await until(async () => (await promoted.keys('once:*')).length > 0, { what: 'the new primary has claims' });
  promoted.disconnect();
  expect(await effects(bank.db)).toBe(n);
});
