import { findRedisBinary, startPostgres, startRedis } from '@trpc-once/local-services';
import { Redis } from 'ioredis';
import type { TestProject } from 'vitest/node';
import './provided.js';

/** Enough for every `freshRedis()` of a run; an unused one costs Redis next to nothing. */
const REDIS_DATABASES = 4096;

/**
 * One Postgres and one Redis for the whole run: those of `DATABASE_URL` and `REDIS_URL`, else real ones of our own, on
 * free ports, gone with the run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const owned: AsyncDisposable[] = [];
  const own = <T extends AsyncDisposable>(resource: T): T => {
    owned.push(resource);
    return resource;
  };
  const teardown = async (): Promise<void> => {
    for (const resource of owned.reverse()) await resource[Symbol.asyncDispose]();
  };
  try {
    const postgresUrl = process.env['DATABASE_URL'] ?? own(await startPostgres()).url;
    const theirRedis = process.env['REDIS_URL'];
    if (theirRedis !== undefined) await mustAnswer(theirRedis);
    const redisUrl = theirRedis ?? own(await startOwnRedis()).url;
    project.provide('postgresUrl', postgresUrl);
    project.provide('redisUrl', redisUrl);
    project.provide('redisDatabases', theirRedis === undefined ? REDIS_DATABASES : 0);
    return teardown;
  } catch (error) {
    await teardown();
    throw error;
  }
}

function startOwnRedis() {
  const binary = findRedisBinary();
  // Not installed from here: nobody expects a test runner to change the machine. `npm test` does it, and says so.
  if (binary === undefined)
    throw new Error(
      'no redis-server on PATH and no REDIS_URL: run `npm test`, which installs one where it can',
    );
  return startRedis({ binary, databases: REDIS_DATABASES });
}

/** Fails at once, rather than each test after its own time-out. */
async function mustAnswer(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    throw new Error(`no Redis answers at REDIS_URL (${new URL(url).host})`, { cause: error });
  } finally {
    redis.disconnect();
  }
}
