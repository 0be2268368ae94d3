import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { until } from '../until.js';
import { findRedisBinary, findValkeyBinary } from './find-redis-binary.js';
import { startRedis } from './start-redis.js';

const impatient = { maxRetriesPerRequest: 0, commandTimeout: 300, retryStrategy: () => null };

function connect(url: string): Redis {
  const redis = new Redis(url, impatient);
  // Each of these tests cuts connections on purpose; what it does to a command is looked at there.
  redis.on('error', () => {});
  return redis;
}

test('Redis runs Lua, and a restart comes up empty on the same port', async () => {
  await using redis = await startRedis();
  const before = connect(redis.url);
  expect(await before.eval(`return redis.call('SET', KEYS[1], ARGV[1]).ok`, 1, 'k', 'v')).toBe('OK');
  const { url } = redis;
  await redis.restart();
  expect(redis.url).toBe(url);
  const after = connect(redis.url);
  expect(await after.get('k')).toBeNull();
  after.disconnect();
});

test('a Redis that was told to persist has its data after it was killed', async () => {
  await using redis = await startRedis({ settings: { appendonly: 'yes', appendfsync: 'always' } });
  const before = connect(redis.url);
  await before.set('k', 'v');
  await redis.restart();
  const after = connect(redis.url);
  expect(await after.get('k')).toBe('v');
  after.disconnect();
});

test('a killed Redis refuses connections, a paused one takes them and says nothing', async () => {
  await using redis = await startRedis();
  const open = connect(redis.url);
  await open.ping();
  redis.pause();
  await expect(open.ping()).rejects.toThrow('Command timed out');
  redis.resume();
  expect(await open.ping()).toBe('PONG');
  await redis.kill();
  await expect(connect(redis.url).ping()).rejects.toThrow();
});

test('one Redis copies another that has the same password, and takes its place when it is told to', async () => {
  await using primary = await startRedis();
  const { password } = new URL(primary.url);
  await using replica = await startRedis({ password, settings: { replicaof: `127.0.0.1 ${primary.port}` } });
  const writer = connect(primary.url);
  await writer.set('k', 'v');
  const reader = connect(replica.url);
  await until(async () => (await reader.get('k')) === 'v', { what: 'the replica has the key' });
  await expect(reader.set('k', 'w')).rejects.toThrow('READONLY');
  await primary.kill();
  await reader.replicaof('NO', 'ONE');
  await reader.set('k', 'w');
  expect(await reader.get('k')).toBe('w');
  writer.disconnect();
  reader.disconnect();
});

test('only those who know the password are let in', async () => {
  await using redis = await startRedis();
  const stranger = connect(`redis://127.0.0.1:${redis.port}`);
  await expect(stranger.ping()).rejects.toThrow('NOAUTH');
  stranger.disconnect();
});

test('a wrong setting fails the start with the reason', async () => {
  await expect(startRedis({ settings: { maxmemory: 'a lot' } })).rejects.toThrow('maxmemory');
});

test('the binary is looked for in each folder of PATH, and its absence is told', () => {
  expect(findRedisBinary()).toMatch(/\/(redis|valkey)-server$/);
  expect(findRedisBinary('/nowhere:')).toBeUndefined();
});

const valkey = findValkeyBinary();

test.skipIf(valkey === undefined)(
  `a Valkey is started as a Redis is${valkey ? '' : ' (skipped: no valkey-server on PATH)'}`,
  async () => {
    await using redis = await startRedis({ binary: valkey as string });
    const client = connect(redis.url);
    expect(await client.info('server')).toContain('server_name:valkey');
    client.disconnect();
  },
);
