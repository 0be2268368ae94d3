import { randomBytes } from 'node:crypto';
import { ensureRedisBinary } from './ensure-redis-binary.js';
import type { LocalRedis } from './local-redis.js';
import { type RedisSettings, startRedisServer } from './start-redis-server.js';

export interface RedisOptions {
  /** The server to run: a Redis, or a Valkey. @default what {@link ensureRedisBinary} finds or installs */
  readonly binary?: string;
  /** Logical databases. @default 16, as everywhere */
  readonly databases?: number;
  /**
   * What its clients and its replicas give. One that is to take another's place has to know the same.
   * @default a random one
   */
  readonly password?: string;
  /** Any other Redis settings; these win. @default no persistence: a restart comes up empty */
  readonly settings?: RedisSettings;
}

/**
 * Starts a Redis (or Valkey) of its own on a free loopback port, in about 30 ms. It is gone when it is disposed of, or
 * when this process ends in whatever way.
 *
 * @throws Error when there is no Redis and none can be installed, or it does not come up; with the end of its log.
 * @example
 * ```ts
 * await using redis = await startRedis();
 * await redis.kill();
 * ```
 */
export async function startRedis(options: RedisOptions = {}): Promise<LocalRedis> {
  const { binary = ensureRedisBinary(), password = randomPassword(), databases = 16 } = options;
  const settings = {
    masterauth: password,
    // A replica copies at once; Redis itself waits 5 s for others that might want to copy too.
    'repl-diskless-sync-delay': 0,
    save: '""',
    appendonly: 'no',
    databases,
    ...options.settings,
  };
  return startRedisServer({ binary, password, settings });
}

/** One that nobody guesses. */
export function randomPassword(): string {
  return randomBytes(12).toString('hex');
}
