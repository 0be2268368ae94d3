import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { startRedisSentinels } from './start-redis-sentinels.js';

test('the replica takes over when the primary is killed, with what it had copied', async () => {
  await using redis = await startRedisSentinels();
  expect(await redis.primaryPort()).toBe(redis.primary.port);
  const client = new Redis({
    ...{ sentinels: redis.addresses, name: redis.name },
    ...{ password: redis.password, sentinelPassword: redis.password },
  });
  // It is told of every connection that it loses; what that does to a command is looked at here.
  client.on('error', () => {});
  await client.set('k', 'v');
  await client.wait(1, 10_000);
  await redis.primary.kill();
  expect(await client.get('k')).toBe('v');
  expect(await redis.primaryPort()).toBe(redis.replica.port);
  client.disconnect();
});
