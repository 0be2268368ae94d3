import { type OnceOptions, type PgDatabaseOptions, postgresRecords, redisClaims } from '@trpc-once/server';
import type { Pool, PoolConfig } from 'pg';
import type { BankContext, BankHooks } from '../bank/bank-router.js';
import { createBankTables, type Sql } from '../bank/bank-tables.js';
import { Disposal } from '../bank/disposal.js';
import { type Bank, startBank } from '../bank/start-bank.js';
import { type FreshDatabase, freshDatabase } from '../resources/index.js';

type ClaimsClient = Parameters<typeof redisClaims>[0] & {
  on(event: 'error', listener: () => void): unknown;
  disconnect(): void;
};

export interface BankOverOptions {
  /** A client to the Redis in question, for each instance. @default no claims */
  readonly client?: () => ClaimsClient;
  /** Server instances over the same stores. @default 1 */
  readonly instances?: number;
  /** Of each instance's pool; what is left out is as everywhere. */
  readonly pool?: (database: FreshDatabase) => PoolConfig & { readonly pipeline?: boolean };
  readonly records?: PgDatabaseOptions;
  readonly hooks?: BankHooks;
  readonly once?: Partial<OnceOptions<BankContext, Sql>>;
  /** The Postgres server to use. @default the run's own */
  readonly serverUrl?: string;
}

export interface BankOver extends AsyncDisposable {
  readonly instances: readonly Bank[];
  readonly bank: Bank;
  readonly url: string;
  readonly database: FreshDatabase;
  /** The database, past whatever lies between it and the instances. */
  readonly db: Pool;
}

/** A bank over stores that the test has set up itself. */
export async function bankOver(options: BankOverOptions = {}): Promise<BankOver> {
  const { client, instances = 1, hooks, once, serverUrl } = options;
  const stack = new Disposal();
  try {
    const database = stack.use(await freshDatabase(serverUrl));
    const db = database.pool({ max: 3 });
    await createBankTables(db);
    const opened: Bank[] = [];
    for (let n = 0; n < instances; n++) {
      const pool = database.pool({ pipeline: true, ...options.pool?.(database) } as PoolConfig);
      const connected = client?.();
      // What becomes of a command is looked at where it was sent.
      connected?.on('error', () => {});
      stack.defer(() => connected?.disconnect());
      const records = postgresRecords(pool, options.records) as never;
      const claims = connected && redisClaims(connected);
      const bank = await startBank({
        ...{ db: pool as Sql, records },
        ...(claims && { claims }),
        ...(hooks && { hooks }),
        ...(once && { once }),
      });
      opened.push(stack.use(bank));
    }
    const [bank] = opened as [Bank];
    await bank.once.migrate();
    return {
      ...{ instances: opened, bank, url: bank.url, database, db },
      [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
    };
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
}
