import { Cluster } from 'ioredis';
import { expect, test } from 'vitest';
import { startRedisCluster } from './start-redis-cluster.js';

test('three nodes share all slots, and a killed one comes back under its own name with its own slots', async () => {
  await using cluster = await startRedisCluster();
  const client = new Cluster([...cluster.addresses], { redisOptions: { password: cluster.password } });
  client.on('error', () => {});
  const keys = Array.from({ length: 50 }, (_, n) => `key-${n}`);
  await Promise.all(keys.map((key) => client.set(key, key)));
  const held = await Promise.all(client.nodes().map((node) => node.dbsize()));
  expect(held.reduce((sum, each) => sum + each)).toBe(50);
  expect(held.filter((each) => each > 0)).toHaveLength(3);

  const slots = await client.nodes()[0]?.cluster('SLOTS');
  await cluster.nodes[0]?.restart();
  await cluster.whole();
  expect(await client.nodes()[0]?.cluster('SLOTS')).toEqual(slots);
  client.disconnect();
});
