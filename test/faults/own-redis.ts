import { type TcpProxy, tcpProxy } from '@trpc-once/faulty-network';
import { type LocalRedis, type RedisOptions, startRedis } from '@trpc-once/local-services';
import { postgresRecords, redisClaims } from '@trpc-once/server';
import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { createBankTables, type Sql } from '../bank/bank-tables.js';
import { Disposal } from '../bank/disposal.js';
import { startBank } from '../bank/index.js';
import type { Bank, BankOptions } from '../bank/start-bank.js';
import { freshDatabase } from '../resources/index.js';

export interface OwnRedisOptions extends Pick<BankOptions, 'hooks' | 'faults' | 'once'> {
  readonly settings?: RedisOptions['settings'];
  /** Whether the bank's client asks, before anything else, if Redis has loaded its data. @default true, as ioredis */
  readonly readyCheck?: boolean;
  /** @default 1 */
  readonly instances?: number;
}

/** A bank with a Redis of its own, to which anything may be done. */
export interface OwnRedis extends AsyncDisposable {
  readonly redis: LocalRedis;
  /** Another connection to it, past the network below. */
  readonly admin: Redis;
  /** What lies between the first instance and Redis. */
  readonly network: TcpProxy;
  readonly instances: readonly Bank[];
  readonly bank: Bank;
  readonly url: string;
  readonly db: Pool;
}

export async function bankWithOwnRedis(options: OwnRedisOptions = {}): Promise<OwnRedis> {
  const { settings, readyCheck = true, instances = 1, ...bankOptions } = options;
  const stack = new Disposal();
  try {
    const redis = stack.use(await startRedis(settings ? { settings } : {}));
    const network = stack.use(await tcpProxy({ upstream: { port: redis.port } }));
    const database = stack.use(await freshDatabase());
    const db = database.pool({ max: 3 });
    await createBankTables(db);
    const connect = (url: string, enableReadyCheck = true): Redis => {
      const connected = new Redis(url, { retryStrategy: () => 50, enableReadyCheck });
      connected.on('error', () => {});
      stack.defer(() => connected.disconnect());
      return connected;
    };
    const through = Object.assign(new URL(redis.url), { port: network.port }).href;
    const opened: Bank[] = [];
    for (let n = 0; n < instances; n++) {
      const pool = database.pool({ pipeline: true } as object);
      const claims = redisClaims(connect(n === 0 ? through : redis.url, readyCheck));
      const records = postgresRecords(pool) as never;
      opened.push(stack.use(await startBank({ db: pool as Sql, records, claims, ...bankOptions })));
    }
    const [bank] = opened as [Bank];
    await bank.once.migrate();
    return {
      redis,
      admin: connect(redis.url),
      network,
      instances: opened,
      bank,
      url: bank.url,
      db,
      [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
    };
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
}
