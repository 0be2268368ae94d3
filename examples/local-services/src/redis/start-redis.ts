import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGuard } from '../process/guard.js';
import { ensureRedisBinary } from './ensure-redis-binary.js';
import { type LocalRedis, localRedis } from './local-redis.js';

export interface RedisOptions {
  /** The server to run. @default what {@link ensureRedisBinary} finds or installs */
  readonly binary?: string;
  /** Logical databases. @default 16, as everywhere */
  readonly databases?: number;
  /**
   * What its clients and its replicas give. One that is to take another's place has to know the same.
   * @default a random one
   */
  readonly password?: string;
  /** Any other Redis settings; these win. @default no persistence: a restart comes up empty */
  readonly settings?: Readonly<Record<string, string | number>>;
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
  const binary = options.binary ?? ensureRedisBinary();
  const directory = await mkdtemp(join(tmpdir(), 'trpc-once-redis-'));
  const guard = startGuard({ signal: 'KILL', directory });
  try {
    const password = options.password ?? randomBytes(12).toString('hex');
    const settings = {
      bind: '127.0.0.1',
      // Other accounts of this machine reach the loopback too.
      requirepass: password,
      masterauth: password,
      // A replica copies at once; Redis itself waits 5 s for others that might want to copy too.
      'repl-diskless-sync-delay': 0,
      dir: directory,
      save: '""',
      appendonly: 'no',
      databases: options.databases ?? 16,
      ...options.settings,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
    const config = join(directory, 'redis.conf');
    await writeFile(config, `${lines.join('\n')}\n`, { mode: 0o600 });
    const redis = localRedis({ binary, directory, config, password, guard });
    await redis.start();
    return redis;
  } catch (error) {
    await guard.release();
    throw error;
  }
}
