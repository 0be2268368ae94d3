import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { inject } from 'vitest';
import './provided.js';

/** A part of the run's Redis that no other test uses. */
export interface FreshRedis extends AsyncDisposable {
  /** A logical database of one's own, or the shared one of a `REDIS_URL`: use `prefix` all the same. */
  readonly url: string;
  /** Begins every key. */
  readonly prefix: string;
  /** Removes what was written under the prefix, as an eviction of everything would. */
  flush(): Promise<void>;
  /** The keys under the prefix. */
  keys(): Promise<string[]>;
}

/**
 * Lends a part of the run's Redis. A test that kills, pauses or restarts Redis, or flushes its scripts, starts one of
 * its own with `startRedis()` instead.
 */
export async function freshRedis(): Promise<FreshRedis> {
  const shared = inject('redisUrl');
  const url = await ownDatabase(shared, inject('redisDatabases'));
  const prefix = `once_test_${randomBytes(6).toString('hex')}:`;
  const redis = new Redis(url, { connectionName: 'trpc-once test resources' });
  const keys = async (): Promise<string[]> => {
    const found = new Set<string>();
    for await (const batch of redis.scanStream({ match: `${prefix}*`, count: 1_000 }))
      for (const key of batch as string[]) found.add(key);
    return [...found].sort();
  };
  const flush = async (): Promise<void> => {
    const found = await keys();
    if (found.length > 0) await redis.del(...found);
  };
  return {
    url,
    prefix,
    flush,
    keys,
    async [Symbol.asyncDispose]() {
      await flush();
      await redis.quit();
    },
  };
}

/** Database 0 counts those that were handed out. */
async function ownDatabase(url: string, databases: number): Promise<string> {
  if (databases === 0) return url;
  const counter = new Redis(url);
  try {
    const next = await counter.incr('test-databases');
    return `${url}/${1 + (next % (databases - 1))}`;
  } finally {
    await counter.quit();
  }
}
