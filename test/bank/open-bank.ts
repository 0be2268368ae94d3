import { type TcpProxy, tcpProxy } from '@trpc-once/faulty-network';
import { postgresRecords, redisClaims } from '@trpc-once/server';
import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { type FreshDatabase, freshDatabase, freshRedis } from '../resources/index.js';
import type { BankHooks } from './bank-router.js';
import { createBankTables, type Sql } from './bank-tables.js';
import { Disposal } from './disposal.js';
import { type Bank, type BankOptions, startBank } from './start-bank.js';

export interface OpenBankOptions extends Pick<BankOptions, 'hooks' | 'faults' | 'once'> {
  /** Server instances over the same stores. @default 1 */
  readonly instances?: number;
  /** @default 'redis' */
  readonly claims?: 'redis' | 'none';
  /** Connections of each instance's pool. @default 10 */
  readonly poolSize?: number;
  /** The database's default isolation. @default 'read committed' */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  /** How long Postgres may take over a statement of the library, in milliseconds. @default 10_000 */
  readonly answerTimeoutMs?: number;
  /** Whether the instances' pools send statements without waiting for the ones before. @default true */
  readonly pipeline?: boolean;
}

/** A bank with real stores of its own, and as many instances as asked for. */
export interface OpenBank extends AsyncDisposable {
  readonly instances: readonly Bank[];
  /** The first instance, for those who need no other. */
  readonly bank: Bank;
  readonly url: string;
  /** The database, seen from outside all instances. */
  readonly db: Pool;
  readonly database: FreshDatabase;
  /** What lies between the instances and Postgres: cut it, freeze it, lose an answer. */
  readonly network: TcpProxy;
  readonly redisUrl: string;
  readonly redisPrefix: string;
  /** Forgets every claim, as FLUSHALL would. */
  flushClaims(): Promise<void>;
  /** Closes the instances' connections to Redis, which come back by themselves. */
  cutClaims(): void;
  /** Everything under the claims' prefix. */
  claimKeys(): Promise<string[]>;
  /** The same with what they hold. */
  claimEntries(): Promise<Record<string, string>[]>;
}

export async function openBank(options: OpenBankOptions = {}): Promise<OpenBank> {
  const {
    instances = 1,
    claims = 'redis',
    poolSize = 10,
    pipeline = true,
    answerTimeoutMs,
    isolation,
    hooks,
    faults,
    once,
  } = options;
  const stack = new Disposal();
  try {
    const database = stack.use(await freshDatabase());
    const redis = stack.use(await freshRedis());
    const db = database.pool({ max: 3 });
    await createBankTables(db);
    if (isolation)
      await db.query(`ALTER DATABASE ${database.name} SET default_transaction_isolation = '${isolation}'`);
    const { hostname: host, port } = new URL(database.url);
    const network = stack.use(await tcpProxy({ upstream: { host, port: Number(port) } }));
    const connectionString = Object.assign(new URL(database.url), {
      hostname: network.host,
      port: network.port,
    }).href;
    const opened: Bank[] = [];
    const clients: Redis[] = [];
    for (let n = 0; n < instances; n++) {
      const pool = database.pool({ max: poolSize, connectionString, pipeline } as object);
      const client = new Redis(redis.url, { retryStrategy: () => 50 });
      client.on('error', () => {});
      clients.push(client);
      stack.defer(() => client.disconnect());
      opened.push(
        stack.use(
          await startBank({
            db: pool as Sql,
            records: postgresRecords(pool, answerTimeoutMs ? { answerTimeoutMs } : {}) as never,
            ...(claims === 'redis' && { claims: redisClaims(client, { prefix: redis.prefix }) }),
            ...(faults && { faults }),
            hooks: { ...hooks } satisfies BankHooks,
            ...(once && { once }),
          }),
        ),
      );
    }
    const [bank] = opened as [Bank];
    await bank.once.migrate();
    return {
      instances: opened,
      bank,
      url: bank.url,
      db,
      database,
      network,
      redisUrl: redis.url,
      redisPrefix: redis.prefix,
      flushClaims: () => redis.flush(),
      cutClaims() {
        for (const client of clients) client.disconnect(true);
      },
      claimKeys: () => redis.keys(),
      async claimEntries() {
        const client = new Redis(redis.url);
        try {
          return await Promise.all((await redis.keys()).map((key) => client.hgetall(key)));
        } finally {
          client.disconnect();
        }
      },
      [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
    };
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
}
