import { until } from '../until.js';
import { askRedis } from './ask-redis.js';
import { ensureRedisBinary } from './ensure-redis-binary.js';
import type { LocalRedis } from './local-redis.js';
import { randomPassword, startRedis } from './start-redis.js';
import { startRedisServer } from './start-redis-server.js';

export interface RedisSentinelsOptions {
  /** The server to run: a Redis, or a Valkey. @default what {@link ensureRedisBinary} finds or installs */
  readonly binary?: string;
  /**
   * How long the primary may be silent before a sentinel calls it down, in milliseconds.
   * @default 1_500, where Redis waits 30_000
   */
  readonly downAfterMs?: number;
}

/** A primary, a replica of it, and three sentinels that make the replica primary when the primary is gone. */
export interface LocalRedisSentinels extends AsyncDisposable {
  /** Whoever was primary at the start. */
  readonly primary: LocalRedis;
  readonly replica: LocalRedis;
  readonly sentinels: readonly LocalRedis[];
  /** The same for all of them. */
  readonly password: string;
  /** For `new Redis({ sentinels: addresses, name, password, sentinelPassword: password })`. */
  readonly addresses: { readonly host: string; readonly port: number }[];
  readonly name: string;
  /** What the first sentinel says: where the primary is now. */
  primaryPort(): Promise<number>;
  /** Has the sentinels make the replica primary, as before maintenance: nothing is lost that it has copied. */
  failOver(): Promise<void>;
}

const NAME = 'primary';
const SENTINELS = 3;

/**
 * Starts a Redis with a replica and sentinels on free loopback ports, in about two seconds.
 *
 * @throws Error as `startRedis` does, or when the sentinels do not find each other.
 * @example
 * ```ts
 * await using redis = await startRedisSentinels();
 * await redis.primary.kill(); // the replica is primary in three seconds or so
 * ```
 */
export async function startRedisSentinels(options: RedisSentinelsOptions = {}): Promise<LocalRedisSentinels> {
  const { binary = ensureRedisBinary(), downAfterMs = 1_500 } = options;
  const password = randomPassword();
  const opened: LocalRedis[] = [];
  const open = async (starting: Promise<LocalRedis>): Promise<LocalRedis> => {
    const redis = await starting;
    opened.push(redis);
    return redis;
  };
  const dispose = async (): Promise<void> => {
    // The sentinels first: they would fail over from what is ended before them.
    for (const redis of opened.toReversed()) await redis[Symbol.asyncDispose]();
  };
  try {
    const primary = await open(startRedis({ binary, password }));
    const replicaof = `127.0.0.1 ${primary.port}`;
    const replica = await open(startRedis({ binary, password, settings: { replicaof } }));
    const settings = {
      [`sentinel monitor ${NAME}`]: `127.0.0.1 ${primary.port} ${Math.ceil(SENTINELS / 2)}`,
      [`sentinel auth-pass ${NAME}`]: password,
      [`sentinel down-after-milliseconds ${NAME}`]: downAfterMs,
      // A failover that did not succeed is tried again after twice this.
      [`sentinel failover-timeout ${NAME}`]: 5_000,
      'sentinel sentinel-pass': password,
    };
    const sentinels: LocalRedis[] = [];
    for (let n = 0; n < SENTINELS; n++)
      sentinels.push(await open(startRedisServer({ binary, password, settings, sentinel: true })));

    const ask = (sentinel: LocalRedis, command: string): Promise<string> =>
      askRedis(sentinel.port, password, `SENTINEL ${command} ${NAME}`);
    for (const sentinel of sentinels) await until(() => isReady(ask, sentinel), ready);
    return {
      ...{ primary, replica, sentinels, password, name: NAME, [Symbol.asyncDispose]: dispose },
      addresses: sentinels.map(({ port }) => ({ host: '127.0.0.1', port })),
      async primaryPort() {
        const reply = await ask(sentinels[0] as LocalRedis, 'GET-MASTER-ADDR-BY-NAME');
        return Number(/127\.0\.0\.1\r\n\$\d+\r\n(\d+)/.exec(reply)?.[1]);
      },
      async failOver() {
        await ask(sentinels[0] as LocalRedis, 'FAILOVER');
      },
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

const ready = { withinMs: 30_000, everyMs: 50, what: 'the sentinels know each other and the replica' };

/** Whether a sentinel sees a replica that could take over, and enough others to decide that it should. */
async function isReady(
  ask: (sentinel: LocalRedis, command: string) => Promise<string>,
  sentinel: LocalRedis,
): Promise<boolean> {
  const others = (await ask(sentinel, 'SENTINELS')).match(/\brunid\r\n\$40/g) ?? [];
  const replicas = await ask(sentinel, 'REPLICAS');
  return others.length === SENTINELS - 1 && replicas.includes('master-link-status\r\n$2\r\nok');
}
