import { memoryClaims, redisClaims } from '@trpc-once/server';
import { Redis } from 'ioredis';
import { describe } from 'vitest';
import { freshRedis } from '../resources/index.js';
import { byAnother, type OpenClaims } from './claims-fixtures.js';
import { claimsSuite } from './claims-suite.js';

async function openMemory(): Promise<OpenClaims> {
  const claims = memoryClaims();
  return {
    claims,
    forget: () => claims.close(),
    // All there is to see from outside: whether one can have it.
    async isEmpty() {
      const probing = { ...byAnother, ownerToken: 'probing' };
      const empty = (await claims.claim(probing)).kind === 'ACQUIRED';
      if (empty) await claims.release(probing);
      return empty;
    },
    [Symbol.asyncDispose]: () => claims.close(),
  };
}

async function openRedis(): Promise<OpenClaims> {
  const redis = await freshRedis();
  const client = new Redis(redis.url);
  const claims = redisClaims(client, { prefix: redis.prefix });
  return {
    claims,
    forget: () => redis.flush(),
    isEmpty: async () => (await redis.keys()).length === 0,
    async [Symbol.asyncDispose]() {
      await claims.close();
      await client.quit();
      await redis[Symbol.asyncDispose]();
    },
  };
}

describe('claims in memory', () => claimsSuite(openMemory));
describe('claims in Redis', () => claimsSuite(openRedis));
