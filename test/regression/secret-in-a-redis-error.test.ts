import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { send } from '../bank/index.js';
import { claimFailures } from '../faults/claim-events.js';
import { bankWithOwnRedis } from '../faults/own-redis.js';
import { until } from '../resources/index.js';

// ioredis hangs the command on its error, and the command that tells Redis of an outcome holds the outcome.
test('a Redis that refuses to be told an outcome does not get it into the events', async () => {
  await using bank = await bankWithOwnRedis();
  const { admin } = bank;
  Object.assign(bank.bank.hooks, { after: () => admin.config('SET', 'maxmemory', '1') });
  await send(bank.url, 'echo', { pin: 'secret-4711' }, { key: 'k1', user: 'ann-of-kent' });
  await until(() => claimFailures(bank.bank).length > 0, { what: 'Redis refuses' });
  const told = inspect(bank.bank.events, { depth: null, showHidden: true, maxStringLength: null });
  expect(told).toContain('OOM');
  expect(told).not.toContain('4711');
  expect(told).not.toContain('ann-of-kent');
});
