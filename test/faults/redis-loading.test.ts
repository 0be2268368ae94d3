import { expect, test } from 'vitest';
import { effects, oneEuro, send } from '../bank/index.js';
import { until } from '../resources/index.js';
import { claimAvailability, claimFailures } from './claim-events.js';
import { bankWithOwnRedis } from './own-redis.js';

/** So that a restart takes about three seconds to load what follows. */
const slowToLoad = { 'key-load-delay': 1_000, 'loading-process-events-interval-bytes': 1_024 };
const keys = 3_000;

for (const readyCheck of [true, false])
  test(`Redis loads its data after a restart (LOADING; the client ${readyCheck ? 'waits for it' : 'is told by each command'}): calls go on, and use it again by themselves`, async () => {
    await using bank = await bankWithOwnRedis({ settings: slowToLoad, readyCheck });
    const before = await send(bank.url, 'transfer', oneEuro, { key: 'before' });
    const filling = bank.admin.pipeline();
    for (let n = 0; n < keys; n++) filling.set(`filler-${n}`, n);
    await filling.exec();
    await bank.admin.save();

    let loaded = false;
    const restarted = bank.redis.restart().then(() => {
      loaded = true;
    });
    await until(
      async () => {
        await send(bank.url, 'transfer', oneEuro);
        return claimFailures(bank.bank).length > 0;
      },
      { what: 'Redis is gone' },
    );
    let whileLoading = 0;
    for (let n = 0; !loaded; n++) {
      const beganAt = performance.now();
      const { status, text } = await send(bank.url, 'transfer', oneEuro, { key: n % 2 ? 'before' : `k${n}` });
      expect(performance.now() - beganAt).toBeLessThan(1_500);
      expect(status, text).toBe(200);
      if (n % 2) expect(text).toBe(before.text);
      whileLoading++;
    }
    await restarted;
    expect(whileLoading).toBeGreaterThan(3);
    if (!readyCheck) expect(claimFailures(bank.bank)).toContainEqual(expect.stringContaining('LOADING'));

    await until(
      async () => {
        await send(bank.url, 'transfer', oneEuro, { key: 'before' });
        return claimAvailability(bank.bank).at(-1) === true;
      },
      { withinMs: 15_000, everyMs: 100, what: 'Redis is used again' },
    );
    expect(await effects(bank.db, 'before')).toBe(1);
  });
