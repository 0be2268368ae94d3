import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { freshRedis } from './fresh-redis.js';

test('a key written through one fresh Redis is not seen through another', async () => {
  await using one = await freshRedis();
  await using other = await freshRedis();
  const client = new Redis(one.url);
  await client.set(`${one.prefix}a`, '1');
  await client.quit();
  expect(await one.keys()).toEqual([`${one.prefix}a`]);
  expect(await other.keys()).toEqual([]);
});

test('a flush removes every key under the prefix and no other', async () => {
  await using redis = await freshRedis();
  const client = new Redis(redis.url);
  for (let n = 0; n < 2_500; n += 1) client.set(`${redis.prefix}${n}`, '1');
  await client.set('elsewhere', '1');
  await redis.flush();
  expect(await redis.keys()).toEqual([]);
  expect(await client.getdel('elsewhere')).toBe('1');
  await client.quit();
});
