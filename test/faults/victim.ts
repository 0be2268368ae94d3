import { type TcpProxy, tcpProxy } from '@trpc-once/faulty-network';
import { Disposal } from '../bank/disposal.js';
import type { OpenBank } from '../bank/index.js';
import { type Program, spawnProgram } from '../resources/index.js';
import type { VictimOrder } from './victim-program.js';

/** A server process of the bank with a network of its own to either store. */
export interface Victim extends Program<{ url: string }> {
  readonly url: string;
  readonly redis: TcpProxy;
  readonly postgres: TcpProxy;
  /** The next attempt at `order.key` halts where it says. */
  order(order: VictimOrder): Promise<void>;
  halted(key: string): Promise<void>;
  /** Whatever halted, and whatever will, goes on. */
  goOn(): void;
  /** It has gone on, and what it had to send is sent. */
  wentOn(): Promise<void>;
}

export async function spawnVictim(bank: OpenBank): Promise<Victim> {
  const stack = new Disposal();
  const through = async (url: string) => {
    const { hostname: host, port } = new URL(url);
    const proxy = stack.use(await tcpProxy({ upstream: { host, port: Number(port) } }));
    const { href } = Object.assign(new URL(url), { hostname: proxy.host, port: proxy.port });
    return { proxy, href };
  };
  try {
    const postgres = await through(bank.database.url);
    const redis = await through(bank.redisUrl);
    const program = stack.use(
      await spawnProgram<{ url: string }>(new URL('./victim-program.ts', import.meta.url), {
        env: { DATABASE_URL: postgres.href, REDIS_URL: redis.href, REDIS_PREFIX: bank.redisPrefix },
      }),
    );
    return {
      ...program,
      url: program.ready.url,
      redis: redis.proxy,
      postgres: postgres.proxy,
      async order(order) {
        program.tell('order', order);
        await program.hear(`${order.key} ordered`);
      },
      halted: async (key) => void (await program.hear(`${key} halted`)),
      goOn: () => program.tell('go on'),
      wentOn: async () => void (await program.hear('went on')),
      [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
    };
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
}
