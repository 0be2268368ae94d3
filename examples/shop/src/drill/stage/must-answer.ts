import { Redis } from 'ioredis';
import { Client } from 'pg';
import { CannotBeginError } from '../../cannot-begin-error.js';

/**
 * Both, before anything is begun: a shop whose Redis is away goes on with Postgres alone, so that a drill on a mistyped
 * REDIS_URL would end well without a Redis.
 *
 * @throws CannotBeginError that says which does not answer, and why.
 */
export async function mustAnswer(urls: {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}): Promise<void> {
  await answers('Postgres', urls.databaseUrl, async (url) => {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    try {
      await client.connect();
    } finally {
      await client.end();
    }
  });
  await answers('Redis', urls.redisUrl, async (url) => {
    const redis = new Redis(url, { lazyConnect: true, connectTimeout: 5_000, retryStrategy: () => null });
    // What connect() rejects with is only that it closed; this is why.
    let why: unknown;
    redis.on('error', (error) => {
      why ??= error;
    });
    try {
      await redis.connect();
      await redis.ping();
    } catch (error) {
      throw why ?? error;
    } finally {
      redis.disconnect();
    }
  });
}

async function answers(what: string, url: string, ask: (url: string) => Promise<void>): Promise<void> {
  try {
    await ask(url);
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException;
    // Without what may be a password. An error over several addresses has a code and no message.
    throw new CannotBeginError(`no ${what} answers at ${new URL(url).host}: ${message || code}`, { cause });
  }
}
