import { startRedisCluster } from '@trpc-once/local-services';
import { Cluster } from 'ioredis';
import { expect, test } from 'vitest';
import { effects } from '../bank/index.js';
import { claimAvailability, claimFailures } from '../faults/claim-events.js';
import { signal } from '../invariants/signal.js';
import { until } from '../resources/index.js';
import { bankOver } from './bank-over.js';
import { sameAnswers } from './same-answers.js';

/** Longer than a claim's time limit, a transaction and a busy machine take together. */
const BOUND_MS = 5_000;

test('a master of a Redis Cluster is killed: Postgres alone keeps the promise in bounded time, events tell, and the cluster is used again by itself', async () => {
  await using cluster = await startRedisCluster();
  await using bank = await bankOver({
    instances: 2,
    client: () => new Cluster([...cluster.addresses], { redisOptions: { password: cluster.password } }),
  });
  const answers = sameAnswers();
  const keys = Array.from({ length: 12 }, (_, n) => `k${n}`);
  /** Everyone asks for everything, at both instances, one after the other. */
  const everyone = async () => {
    for (const key of keys) for (const { url } of bank.instances) await answers.outcome(url, key, BOUND_MS);
    expect(await effects(bank.db)).toBe(keys.length);
  };
  await everyone();
  await cluster.nodes[0]?.kill();
  // Some slots at first, and all of them when the others have noticed.
  keys.push(...Array.from({ length: 12 }, (_, n) => `lost-${n}`));
  await everyone();
  for (const each of bank.instances) {
    expect(claimFailures(each).length).toBeGreaterThanOrEqual(3);
    expect(claimAvailability(each)[0]).toBe(false);
  }

  await cluster.nodes[0]?.start();
  await cluster.whole();
  for (const each of bank.instances)
    await until(
      async () => {
        await answers.ask(each.url, 'k0', BOUND_MS);
        return claimAvailability(each).at(-1) === true;
      },
      { withinMs: 30_000, everyMs: 100, what: 'the breaker closes' },
    );
  keys.push('after');
  await everyone();
});

test('a duplicate waits through a Redis Cluster, and hears of the outcome from whichever node it happened on', async () => {
  await using cluster = await startRedisCluster();
  let round = { inside: signal(), goOn: signal() };
  await using bank = await bankOver({
    instances: 2,
    client: () => new Cluster([...cluster.addresses], { redisOptions: { password: cluster.password } }),
    once: { whenInProgress: { waitMs: 25_000 } },
    hooks: {
      async before() {
        round.inside.give();
        await round.goOn.given;
      },
    },
  });
  const answers = sameAnswers();
  const [one, other] = bank.instances.map(({ url }) => url) as [string, string];
  const delays: number[] = [];
  for (let n = 0; n < 6; n++) {
    round = { inside: signal(), goOn: signal() };
    const first = answers.ask(one, `k${n}`, 30_000);
    await round.inside.given;
    const second = answers.ask(other, `k${n}`, 30_000);
    // A waiter looks after 200 ms and then after 1,200: from here the next look is 600 ms away at least.
    const beganAt = performance.now();
    await until(() => performance.now() - beganAt > 500, { what: 'the first look is over' });
    round.goOn.give();
    await first;
    const settledAt = performance.now();
    expect((await second).headers.get('idempotency-replayed')).toBe('true');
    delays.push(performance.now() - settledAt);
  }
  // Half of six: a busy machine may be late with any of them.
  expect(delays.sort((a, b) => a - b)[2]).toBeLessThan(400);
  expect(await effects(bank.db)).toBe(6);
});
