import { type Cluster, Redis } from 'ioredis';
import { expectTypeOf, test } from 'vitest';
import type { ClaimStore } from './claim-store.js';
import { redisClaims } from './redis-claims.js';

test('claims are kept through a client of one Redis, of sentinels, or of a cluster', () => {
  expectTypeOf(redisClaims).toBeCallableWith(null as unknown as Redis);
  expectTypeOf(redisClaims).toBeCallableWith(null as unknown as Cluster, { prefix: 'shop:' });
  const sentinels = () => new Redis({ sentinels: [{ host: 'localhost', port: 26_379 }], name: 'primary' });
  expectTypeOf(sentinels).returns.toExtend<Parameters<typeof redisClaims>[0]>();
  expectTypeOf(redisClaims).returns.toEqualTypeOf<ClaimStore>();
});

test('not through something that runs no scripts', () => {
  // @ts-expect-error: a URL is no client
  expectTypeOf(redisClaims).toBeCallableWith('redis://localhost');
  // @ts-expect-error: neither is one that only reads and writes
  expectTypeOf(redisClaims).toBeCallableWith({ get: async () => '', set: async () => '' });
});
