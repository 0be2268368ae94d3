import { randomBytes } from 'node:crypto';
import { startPostgres, startRedis } from '@trpc-once/local-services';
import { storesFromEnv } from '@trpc-once/server/embedded';
import { CleanUp } from '../clean-up.js';
import { lineTo } from '../servers/line-to.js';
import { serverProcesses } from '../servers/server-processes.js';
import { mustAnswer } from './must-answer.js';
import type { Stage } from './stage.js';

export interface ServicesOptions {
  /** @default a Postgres is started */
  readonly databaseUrl?: string | undefined;
  /** @default a Redis is started */
  readonly redisUrl?: string | undefined;
}

/**
 * A real Postgres and a real Redis under two servers in processes of their own. In a database that is somebody's, the
 * drill keeps to a schema of its own, dropped at the end; a kill -9 of the drill leaves that behind.
 */
export async function servicesStage(options: ServicesOptions): Promise<Stage> {
  const cleanUp = new CleanUp();
  try {
    const name = `trpc_once_drill_${randomBytes(4).toString('hex')}`;
    const databaseUrl = options.databaseUrl ?? cleanUp.use(await startPostgres()).url;
    const redisUrl = options.redisUrl ?? cleanUp.use(await startRedis()).url;
    await mustAnswer({ databaseUrl, redisUrl });

    const own = { DATABASE_URL: inSchema(databaseUrl, name), REDIS_URL: withPrefix(redisUrl, name) };
    const stores = await storesFromEnv(own);
    cleanUp.defer(() => stores.close());
    await stores.db.query(`CREATE SCHEMA ${name}`);
    cleanUp.defer(() => stores.db.query(`DROP SCHEMA ${name} CASCADE`));

    const postgres = await lineTo(own.DATABASE_URL);
    cleanUp.defer(() => postgres.line?.close());
    const redis = await lineTo(own.REDIS_URL);
    cleanUp.defer(() => redis.line?.close());
    const env = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
    return {
      description: `With services: ${options.databaseUrl ? 'the Postgres of DATABASE_URL' : 'a Postgres started for this'} and ${
        options.redisUrl ? 'the Redis of REDIS_URL' : 'a Redis started for this'
      }, schema and key prefix ${name}.
There are two servers, each a process of its own, and they are killed in turn.`,
      stores,
      mishaps: [
        ...(['server-killed', 'server-killed', 'server-killed', 'server-killed'] as const),
        ...(postgres.line ? (['postgres-cut', 'postgres-cut'] as const) : []),
        ...(postgres.line ? (['commit-unanswered', 'commit-unanswered'] as const) : []),
        ...(redis.line ? (['redis-away'] as const) : []),
      ],
      startServers: (parts) => serverProcesses({ ...parts, env, postgres: postgres.line, redis: redis.line }),
      [Symbol.asyncDispose]: () => cleanUp[Symbol.asyncDispose](),
    };
  } catch (error) {
    await cleanUp[Symbol.asyncDispose]();
    throw error;
  }
}

/** pg sends `options` to the server at every connect, so that whatever asks for a table finds it in that schema alone. */
function inSchema(databaseUrl: string, schema: string): string {
  const url = new URL(databaseUrl);
  const options = url.searchParams.get('options');
  url.searchParams.set('options', `${options ? `${options} ` : ''}-csearch_path=${schema}`);
  return url.href;
}

/** ioredis puts `keyPrefix` before every key: another drill's outcomes are none of this one's. */
function withPrefix(redisUrl: string, prefix: string): string {
  const url = new URL(redisUrl);
  url.searchParams.set('keyPrefix', `${prefix}:`);
  return url.href;
}
