import { expect, test } from 'vitest';
import { effects, heldHandler, oneEuro, send } from '../bank/index.js';
import { until } from '../resources/index.js';
import { said } from './answer.js';
import { claimAvailability, claimFailures } from './claim-events.js';
import { bankWithOwnRedis } from './own-redis.js';

test('the reply to the claim is lost and the client sends it again: the owner is recognised, and no 409 against itself', async () => {
  // Long enough for the client to connect again and repeat the command.
  await using bank = await bankWithOwnRedis({ once: { claimTimeoutMs: 5_000 } });
  await send(bank.url, 'transfer', oneEuro, { key: 'warm' });
  // After it has connected again the client sends the whole script once more, or its name: either is a call.
  const calls = async () => {
    const stats = await bank.admin.info('commandstats');
    const runs = stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+).*failed_calls=(\d+)/g);
    return [...runs].reduce((sum, [, all, failed]) => sum + Number(all) - Number(failed), 0);
  };
  await until(async () => (await calls()) >= 2, { what: 'Redis was told' });
  const before = await calls();
  const lost = bank.network.cutAfterBytes(0, 'to-client');
  const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(await lost).toBe(true);
  expect(said(answer)).toBe('settled');
  await until(async () => (await calls()) >= before + 3, {
    what: 'a claim, the same again, and the outcome',
  });
  expect(claimFailures(bank.bank)).toEqual([]);
  expect(await effects(bank.db, 'k1')).toBe(1);
});

test('the scripts are flushed in mid-run, before every step: they are sent again, and nobody hears of NOSCRIPT', async () => {
  await using bank = await bankWithOwnRedis({
    faults: async () => void (await bank.admin.script('FLUSH')),
  });
  for (const key of ['k1', 'k1', 'k2'])
    expect((await send(bank.url, 'transfer', oneEuro, { key })).status).toBe(200);
  Object.assign(bank.bank.hooks, { after: () => Promise.reject(new Error('not this time')) });
  expect(said(await send(bank.url, 'transfer', oneEuro, { key: 'k3' }))).toBe('released');
  expect(claimFailures(bank.bank)).toEqual([]);
  expect(await bank.admin.keys('once:*')).toHaveLength(2);
});

test('the claim is evicted in mid-run: Postgres holds the others off, the renewal takes it again, one effect', async () => {
  const handler = heldHandler();
  await using bank = await bankWithOwnRedis({
    settings: { maxmemory: '4mb', 'maxmemory-policy': 'allkeys-lru' },
    instances: 2,
    hooks: handler,
  });
  const first = send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  await handler.inside;
  const claims = () => bank.admin.keys('once:*');
  const junk = 'x'.repeat(100_000);
  let evicted = false;
  for (let n = 0; !evicted && n < 1_000; n++) {
    await bank.admin.set(`junk-${n}`, junk);
    evicted = (await claims()).length === 0;
  }
  expect(evicted).toBe(true);
  const other = await send(bank.instances[1]!.url, 'transfer', oneEuro, { key: 'k1' });
  expect(said(other)).toBe('IN_PROGRESS');
  await bank.admin.flushall();
  await until(async () => (await claims()).length === 1, { what: 'the claim is taken again' });
  handler.goOn();
  const settled = await first;
  expect(said(settled)).toBe('settled');
  const replayed = await until(
    async () => {
      const answer = await send(bank.instances[1]!.url, 'transfer', oneEuro, { key: 'k1' });
      return answer.status === 200 && answer;
    },
    { what: 'the other instance has heard of the outcome' },
  );
  expect(replayed.text).toBe(settled.text);
  expect(await effects(bank.db)).toBe(1);
});

test('one renewal fails: it is tried again before the lease ends, and the claim stays', async () => {
  const handler = heldHandler();
  let renewals = 0;
  await using bank = await bankWithOwnRedis({
    instances: 2,
    hooks: handler,
    faults(point) {
      if (point === 'renewing' && ++renewals === 1) bank.network.pause();
      if (point === 'renewed') bank.network.resume();
    },
  });
  const beganAt = performance.now();
  const first = send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  await handler.inside;
  await until(() => performance.now() - beganAt > 1_500, { what: 'the first lease is over' });
  expect(claimFailures(bank.bank)).toHaveLength(1);
  const other = await send(bank.instances[1]!.url, 'transfer', oneEuro, { key: 'k1' });
  expect(said(other)).toBe('IN_PROGRESS');
  expect(bank.bank.events.map(({ type }) => type)).not.toContain('lease-lost');
  handler.goOn();
  expect(said(await first)).toBe('settled');
  expect(await effects(bank.db)).toBe(1);
});

test('renewals hang: the lease is given up at its own end by the local clock, and the fence decides', async () => {
  const handler = heldHandler();
  await using bank = await bankWithOwnRedis({
    instances: 2,
    hooks: handler,
    faults(point) {
      if (point === 'renewing') bank.network.pause();
    },
  });
  const beganAt = performance.now();
  const first = send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  await handler.inside;
  await until(() => bank.bank.events.some(({ type }) => type === 'lease-lost'), {
    what: 'the lease is lost',
  });
  const lostAfterMs = performance.now() - beganAt;
  expect(lostAfterMs).toBeGreaterThan(990);
  expect(lostAfterMs).toBeLessThan(1_900);
  const other = await send(bank.instances[1]!.url, 'transfer', oneEuro, { key: 'k1' });
  expect(said(other)).toBe('IN_PROGRESS');
  handler.goOn();
  const settled = await first;
  expect(said(settled)).toBe('settled');
  bank.network.resume();
  // A renewal that was on its way all the time may take the claim again, for one lease.
  const replayed = await until(
    async () => {
      const answer = await send(bank.instances[1]!.url, 'transfer', oneEuro, { key: 'k1' });
      return answer.status === 200 && answer;
    },
    { what: 'nothing of the first is on its way any more' },
  );
  expect(replayed.text).toBe(settled.text);
  expect(await effects(bank.db)).toBe(1);
  expect(claimAvailability(bank.bank)).toEqual([false]);
});
