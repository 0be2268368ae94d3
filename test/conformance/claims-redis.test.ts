import { redisClaims } from '@trpc-once/server';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { freshRedis, startRedis } from '../resources/index.js';
import { byAnother, claim, completed, settled } from './claims-fixtures.js';

/** Claims over a client, and the same Redis as an operator sees it. */
async function openRedis(options: Parameters<typeof redisClaims>[1] = {}) {
  const redis = await freshRedis();
  const client = new Redis(redis.url);
  const claims = redisClaims(client, { prefix: redis.prefix, ...options });
  return {
    ...{ redis, client, claims },
    /** The one entry there is. */
    async entry() {
      const [key, ...more] = await redis.keys();
      expect(more).toEqual([]);
      return {
        key: key as string,
        fields: await client.hgetall(key as string),
        endsMs: await client.pttl(key as string),
      };
    },
    async [Symbol.asyncDispose]() {
      await claims.close();
      await client.quit();
      await redis[Symbol.asyncDispose]();
    },
  };
}

describe('every entry has an end', () => {
  test('a claim, a renewed one, one taken anew, and one asked for twice', async () => {
    await using opened = await openRedis();
    const { claims, redis } = opened;
    for (const take of [
      () => claims.claim(claim),
      () => claims.claim(claim),
      () => claims.renew(claim),
      async () => {
        await redis.flush();
        await claims.renew(claim);
      },
      async () => void (await claims.watch?.(claim.id, () => {}))?.(),
    ]) {
      await take();
      const { endsMs } = await opened.entry();
      expect(endsMs).toBeGreaterThan(0);
      expect(endsMs).toBeLessThanOrEqual(30_000);
    }
  });

  test.each([1_000.25, 59_999.75, 60_000, 3_600_001.5, 86_400_000, Number.MAX_SAFE_INTEGER])(
    'an outcome that is kept for %d ms, and for an hour at most',
    async (retainMs) => {
      await using opened = await openRedis();
      await opened.claims.settle({ ...settled, retainMs });
      const { endsMs } = await opened.entry();
      expect(endsMs).toBeGreaterThan(0);
      expect(endsMs).toBeLessThanOrEqual(Math.min(retainMs, 3_600_000));
    },
  );

  test('a watched operation that settles, whose mark does not outlive it', async () => {
    await using opened = await openRedis();
    await opened.claims.claim(claim);
    const stop = await opened.claims.watch?.(claim.id, () => {});
    await opened.claims.settle(settled);
    const { fields, endsMs } = await opened.entry();
    expect(fields).not.toHaveProperty('watched');
    expect(endsMs).toBeGreaterThan(0);
    stop?.();
  });
});

test('an entry says nothing of who it is about, in whole or in part', async () => {
  await using opened = await openRedis();
  await opened.claims.claim({ ...claim, id: { scope: '["ann@example.com"]', key: 'order-4711' } });
  const { key, fields } = await opened.entry();
  const all = key + JSON.stringify(fields);
  expect(all).not.toMatch(/ann|example|4711/);
});

describe('an outcome over the limit', () => {
  test('is not kept: the entry only says that the operation settled', async () => {
    await using opened = await openRedis({ maxBodyLength: 10 });
    await opened.claims.settle({ ...settled, outcome: { ...completed, body: 'x'.repeat(11) } });
    expect(await opened.claims.claim(byAnother)).toEqual({ kind: 'SETTLED', outcome: undefined });
    expect((await opened.entry()).fields).not.toHaveProperty('body');
    await opened.claims.settle({ ...settled, outcome: { ...completed, body: 'x'.repeat(10) } });
    expect(await opened.claims.claim(byAnother)).toMatchObject({ outcome: { body: 'x'.repeat(10) } });
  });

  test('counts its headers too', async () => {
    await using opened = await openRedis({ maxBodyLength: 10 });
    const outcome = { ...completed, body: '1', headers: `{"link":"${'x'.repeat(20)}"}` };
    await opened.claims.settle({ ...settled, outcome });
    expect(await opened.claims.claim(byAnother)).toEqual({ kind: 'SETTLED', outcome: undefined });
  });

  test('and one that replaces a shorter one leaves nothing of it', async () => {
    await using opened = await openRedis({ maxBodyLength: 10 });
    await opened.claims.settle({ ...settled, outcome: { ...completed, body: 'short' } });
    await opened.claims.settle({ ...settled, outcome: { ...completed, body: 'x'.repeat(11) } });
    expect(await opened.claims.claim(byAnother)).toEqual({ kind: 'SETTLED', outcome: undefined });
  });
});

describe('a Redis that forgot its scripts', () => {
  test('is given them again, and no caller notices', async () => {
    await using redis = await startRedis();
    const client = new Redis(redis.url);
    const claims = redisClaims(client);
    try {
      expect(await claims.claim(claim)).toEqual({ kind: 'ACQUIRED' });
      await client.script('FLUSH');
      expect(await claims.renew(claim)).toBe('RENEWED');
      await client.script('FLUSH');
      expect(await claims.claim(byAnother)).toMatchObject({ kind: 'IN_PROGRESS' });
      await client.script('FLUSH');
      await claims.release(claim);
      await client.script('FLUSH');
      await claims.settle(settled);
      expect(await claims.claim(claim)).toEqual({ kind: 'SETTLED', outcome: completed });
    } finally {
      await claims.close();
      await client.quit();
    }
  });

  test('a renewal and a release that are sent together still happen in that order', async () => {
    await using redis = await startRedis();
    const client = new Redis(redis.url);
    const claims = redisClaims(client);
    try {
      await claims.claim(claim);
      await client.script('FLUSH');
      await Promise.all([claims.renew(claim), claims.release(claim)]);
      expect(await client.dbsize()).toBe(0);
    } finally {
      await claims.close();
      await client.quit();
    }
  });
});

describe('what Redis refuses is told as an error, never taken for an answer', () => {
  const verbs = (claims: ReturnType<typeof redisClaims>) => ({
    claim: () => claims.claim(claim),
    renew: () => claims.renew(claim),
    release: () => claims.release(claim),
    settle: () => claims.settle(settled),
  });

  test('a key of another kind: WRONGTYPE', async () => {
    await using opened = await openRedis();
    await opened.claims.claim(claim);
    const { key } = await opened.entry();
    await opened.client.set(key, 'somebody else’s');
    for (const verb of ['claim', 'renew', 'release'] as const)
      await expect(verbs(opened.claims)[verb](), verb).rejects.toThrow('WRONGTYPE');
  });

  test('an entry of a version that nobody here knows', async () => {
    await using opened = await openRedis();
    await opened.claims.claim(claim);
    const { key } = await opened.entry();
    await opened.client.hset(key, 'status', 'PARKED');
    await expect(opened.claims.claim(byAnother)).rejects.toThrow(
      '"PARKED": another version wrote this entry',
    );
    // Nor is it overrun.
    expect(await opened.claims.renew(claim)).toBe('LOST');
    await opened.claims.release(claim);
    expect((await opened.entry()).fields['status']).toBe('PARKED');
  });

  test('a node that became a read-only replica: READONLY for whatever would write', async () => {
    await using primary = await startRedis();
    await using demoted = await startRedis();
    const client = new Redis(demoted.url);
    const claims = redisClaims(client);
    try {
      await claims.claim(claim);
      const { hostname, port } = new URL(primary.url);
      await client.call('REPLICAOF', hostname, port);
      const { release: _, ...writing } = verbs(claims);
      for (const [name, verb] of Object.entries(writing))
        if (name !== 'claim') await expect(verb(), name).rejects.toThrow('READONLY');
      await expect(
        claims.claim({ ...claim, id: { ...claim.id, key: 'k2' } }),
        'a claim of something new',
      ).rejects.toThrow('READONLY');
    } finally {
      await claims.close();
      await client.quit();
    }
  });

  test('a Redis that has no memory left: OOM', async () => {
    await using redis = await startRedis();
    const client = new Redis(redis.url);
    const claims = redisClaims(client);
    try {
      await client.config('SET', 'maxmemory', '1');
      await client.config('SET', 'maxmemory-policy', 'noeviction');
      await expect(claims.claim(claim)).rejects.toThrow('OOM');
      await client.config('SET', 'maxmemory', '0');
      expect(await claims.claim(claim)).toEqual({ kind: 'ACQUIRED' });
    } finally {
      await claims.close();
      await client.quit();
    }
  });
});

test('an application’s prefix keeps its operations from another’s', async () => {
  await using redis = await freshRedis();
  const client = new Redis(redis.url);
  const [shop, bank] = ['shop:', 'bank:'].map((name) => redisClaims(client, { prefix: redis.prefix + name }));
  await shop?.claim(claim);
  expect(await bank?.claim(byAnother)).toEqual({ kind: 'ACQUIRED' });
  await client.quit();
});

test('a client with a key prefix of its own is taken as it is', async () => {
  await using redis = await freshRedis();
  const client = new Redis(redis.url, { keyPrefix: `${redis.prefix}mine:` });
  const claims = redisClaims(client, { prefix: 'once:' });
  expect(await claims.claim(claim)).toEqual({ kind: 'ACQUIRED' });
  expect((await redis.keys()).every((key) => key.startsWith(`${redis.prefix}mine:once:`))).toBe(true);
  let heard = 0;
  const stop = await claims.watch?.(claim.id, () => heard++);
  await claims.settle(settled);
  await expect.poll(() => heard, { timeout: 10_000 }).toBe(1);
  stop?.();
  await claims.close();
  await client.quit();
});
