import type { TcpProxy } from '@trpc-once/faulty-network';
import { type LocalRedis, startRedis } from '@trpc-once/local-services';
import { Redis } from 'ioredis';
import type { Disposal } from '../../bank/disposal.js';

/**
 * Two Redis of which one copies the other, and the lines that lead to the one in charge.
 *
 * A line that is not turned leads to where it led, so that during a failover some servers may write to one and some to
 * the other.
 */
export class RedisPair {
  readonly #nodes: [LocalRedis, LocalRedis];
  #lines: readonly TcpProxy[] = [];

  private constructor(nodes: [LocalRedis, LocalRedis]) {
    this.#nodes = nodes;
  }

  static async start(disposal: Disposal): Promise<RedisPair> {
    const primary = disposal.use(await startRedis());
    const { password } = new URL(primary.url);
    const replica = disposal.use(await startRedis({ password }));
    const pair = new RedisPair([primary, replica]);
    await pair.follow();
    return pair;
  }

  get primary(): LocalRedis {
    return this.#nodes[0];
  }

  get replica(): LocalRedis {
    return this.#nodes[1];
  }

  /** The lines that `turn` turns. */
  attach(lines: readonly TcpProxy[]): void {
    this.#lines = lines;
  }

  /** Makes the second copy the first. */
  async follow(): Promise<void> {
    await ask(this.replica, 'REPLICAOF', '127.0.0.1', String(this.primary.port));
  }

  /** Puts the replica in charge. Nobody is sent there yet. */
  async promote(): Promise<void> {
    await ask(this.replica, 'REPLICAOF', 'NO', 'ONE');
    this.#nodes.reverse();
  }

  /** Leads one line to whoever is in charge, and ends the connections that led elsewhere. */
  turn(line: TcpProxy): void {
    line.setUpstream({ port: this.primary.port });
    line.cut();
  }

  turnAll(): void {
    for (const line of this.#lines) this.turn(line);
  }
}

/** Runs one command over a connection of its own, past all lines. */
export async function ask(node: LocalRedis, command: string, ...args: string[]): Promise<unknown> {
  const redis = new Redis(node.url, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return await redis.call(command, ...args);
  } finally {
    redis.disconnect();
  }
}
