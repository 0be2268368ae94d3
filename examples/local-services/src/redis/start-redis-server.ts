import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGuard } from '../process/guard.js';
import { type LocalRedis, localRedis } from './local-redis.js';

export type RedisSettings = Readonly<Record<string, string | number>>;

export interface RedisServerOptions {
  readonly binary: string;
  readonly password: string;
  /** Everything that goes into its redis.conf, but for the port and the directory. */
  readonly settings: RedisSettings;
  /** @default false */
  readonly sentinel?: boolean;
}

/** Starts the program on a free loopback port, in a directory of its own and with a guard. */
export async function startRedisServer(options: RedisServerOptions): Promise<LocalRedis> {
  const { binary, password, sentinel = false } = options;
  const directory = await mkdtemp(join(tmpdir(), 'trpc-once-redis-'));
  const guard = startGuard({ signal: 'KILL', directory });
  try {
    // Other accounts of this machine reach the loopback too, so there is always a password.
    const settings = { bind: '127.0.0.1', dir: directory, requirepass: password, ...options.settings };
    const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
    const config = join(directory, 'redis.conf');
    await writeFile(config, `${lines.join('\n')}\n`, { mode: 0o600 });
    const redis = localRedis({ binary, directory, config, password, sentinel, guard });
    await redis.start();
    return redis;
  } catch (error) {
    await guard.release();
    throw error;
  }
}
