import { expect, test } from 'vitest';
import { effects, oneEuro, send } from '../bank/index.js';
import { freePort, until } from '../resources/index.js';
import { claimAvailability, claimFailures } from './claim-events.js';
import { bankWithOwnRedis, type OwnRedis } from './own-redis.js';

/** Something that Redis answers every write with, or does not answer; and its end. */
interface Trouble {
  readonly name: string;
  begin(bank: OwnRedis): Promise<unknown>;
  end(bank: OwnRedis): Promise<unknown>;
  /** What the events say of it. */
  readonly told: RegExp;
}

const late = /the claim store took longer than 250 ms/;

const troubles: readonly Trouble[] = [
  {
    name: 'is a read-only replica after a failover (READONLY)',
    begin: async ({ admin }) => admin.replicaof('127.0.0.1', await freePort()),
    end: ({ admin }) => admin.replicaof('NO', 'ONE'),
    told: /READONLY/,
  },
  {
    name: 'is out of memory and evicts nothing (OOM)',
    begin: ({ admin }) => admin.config('SET', 'maxmemory', '1'),
    end: ({ admin }) => admin.config('SET', 'maxmemory', '0'),
    told: /OOM/,
  },
  {
    name: 'holds every client (CLIENT PAUSE)',
    begin: ({ admin }) => admin.client('PAUSE', 4_000),
    // Answered when the pause is over.
    end: ({ admin }) => admin.ping(),
    told: late,
  },
  {
    name: 'is reached slowly',
    begin: async ({ network }) => network.delay(400),
    end: async ({ network }) => network.delay(0),
    told: late,
  },
  {
    name: 'refuses the password',
    begin: async ({ admin, network }) => {
      await admin.config('SET', 'requirepass', 'another');
      network.cut();
    },
    end: async ({ admin, redis }) => admin.config('SET', 'requirepass', new URL(redis.url).password),
    told: /NOAUTH|WRONGPASS|longer than/,
  },
];

for (const { name, begin, end, told } of troubles)
  test(`Redis ${name}: Postgres alone keeps the promise in bounded time, events tell, and it comes back by itself`, async () => {
    await using bank = await bankWithOwnRedis();
    const before = await send(bank.url, 'transfer', oneEuro, { key: 'before' });
    await until(async () => (await bank.admin.keys('once:*')).length === 1, { what: 'Redis was told' });

    await begin(bank);
    const outcomes = new Map<string, string>();
    for (const key of ['k1', 'k1', 'k2', 'k3', 'k2', 'k4', 'k5', 'k5']) {
      const beganAt = performance.now();
      const { status, text } = await send(bank.url, 'transfer', oneEuro, { key });
      expect(performance.now() - beganAt).toBeLessThan(1_500);
      expect(status, text).toBe(200);
      expect(text).toBe(outcomes.get(key) ?? text);
      outcomes.set(key, text);
    }
    expect(await effects(bank.db)).toBe(6);
    expect(claimAvailability(bank.bank)).toEqual([false]);
    expect(claimFailures(bank.bank).length).toBeGreaterThanOrEqual(3);
    for (const failure of claimFailures(bank.bank)) expect(failure).toMatch(told);

    await end(bank);
    // A Redis that is full was not filled further.
    if (name.includes('OOM')) expect(await bank.admin.keys('once:*')).toHaveLength(1);
    await until(
      async () => {
        const { text } = await send(bank.url, 'transfer', oneEuro, { key: 'before' });
        expect(text).toBe(before.text);
        return claimAvailability(bank.bank).length === 2;
      },
      { withinMs: 15_000, everyMs: 100, what: 'the breaker closes' },
    );
    expect(claimAvailability(bank.bank)).toEqual([false, true]);
    await send(bank.url, 'transfer', oneEuro, { key: 'after' });
    await until(async () => (await bank.admin.keys('once:*')).length >= 2, { what: 'Redis is told again' });
    expect(await effects(bank.db)).toBe(7);
  });
