import { freePort } from '../free-port.js';
import { until } from '../until.js';
import { askRedis } from './ask-redis.js';
import { ensureRedisBinary } from './ensure-redis-binary.js';
import type { LocalRedis } from './local-redis.js';
import { randomPassword, startRedis } from './start-redis.js';
import type { RedisSettings } from './start-redis-server.js';

export interface RedisClusterOptions {
  /** The server to run: Redis 7 or newer, or Valkey. @default what {@link ensureRedisBinary} finds or installs */
  readonly binary?: string;
  /** How many share the slots. @default 3: the fewest that agree on who has failed */
  readonly nodes?: number;
  /**
   * How long a node may be silent before the others call it failed, in milliseconds, and with it the cluster.
   * @default 2_000, where Redis waits 15_000
   */
  readonly nodeTimeoutMs?: number;
  /** Any other Redis settings, for every node; these win. */
  readonly settings?: RedisSettings;
}

/** A Redis Cluster that runs on this machine, without replicas: a node that is gone takes its slots with it. */
export interface LocalRedisCluster extends AsyncDisposable {
  readonly nodes: readonly LocalRedis[];
  /** For `new Cluster(addresses, { redisOptions: { password } })`. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  readonly password: string;
  /** Resolves when every node says that every slot is served. @throws Error when that takes over half a minute. */
  whole(): Promise<void>;
}

const SLOTS = 16_384;

/**
 * Starts a Redis Cluster of its own on free loopback ports, in about two seconds. A killed node comes back under its own
 * name with its own slots, and empty.
 *
 * @throws Error as `startRedis` does, or when the nodes do not come together.
 * @example
 * ```ts
 * await using cluster = await startRedisCluster();
 * const client = new Cluster([...cluster.addresses], { redisOptions: { password: cluster.password } });
 * ```
 */
export async function startRedisCluster(options: RedisClusterOptions = {}): Promise<LocalRedisCluster> {
  const { binary = ensureRedisBinary(), nodes: count = 3, nodeTimeoutMs = 2_000 } = options;
  const password = randomPassword();
  const nodes: LocalRedis[] = [];
  const dispose = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
  };
  const whole = async (): Promise<void> => {
    const isWhole = async (node: LocalRedis): Promise<boolean> => {
      const info = await askRedis(node.port, password, 'CLUSTER INFO');
      return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${count}`);
    };
    const what = 'every node of the Redis Cluster serves its slots';
    for (const node of nodes) await until(() => isWhole(node), { withinMs: 30_000, everyMs: 50, what });
  };
  try {
    for (let n = 0; n < count; n++) {
      const busPort = await freePort();
      const settings = {
        'cluster-enabled': 'yes',
        // Redis itself takes its port and 10,000, which is past the last port there is for many a free one.
        'cluster-port': busPort,
        'cluster-node-timeout': nodeTimeoutMs,
        databases: 1,
        ...options.settings,
      };
      const node = await startRedis({ binary, password, settings });
      nodes.push(node);
      const [from, to] = [n, n + 1].map((at) => Math.floor((at * SLOTS) / count)) as [number, number];
      const slots = `CLUSTER ADDSLOTSRANGE ${from} ${to - 1}`;
      await askRedis(node.port, password, slots, `CLUSTER SET-CONFIG-EPOCH ${n + 1}`);
      const first = nodes[0] as LocalRedis;
      if (n > 0) await askRedis(first.port, password, `CLUSTER MEET 127.0.0.1 ${node.port} ${busPort}`);
    }
    await whole();
  } catch (error) {
    await dispose();
    throw error;
  }
  const addresses = nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
  return { nodes, addresses, password, whole, [Symbol.asyncDispose]: dispose };
}
