import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Books, buildPage, readBooks, startWebShop } from '@trpc-once/example-shop';
import { storesFromEnv } from '@trpc-once/server/embedded';
import { Disposal } from '../bank/disposal.js';
import { freshDatabase, freshRedis, until } from '../resources/index.js';

export interface Charge {
  readonly account: string;
  readonly cents: number;
}

/** The shop and its page, built from source, over a real Postgres and a real Redis. */
export interface OpenShop extends AsyncDisposable {
  readonly url: string;
  /** The ledger rows that charge for a cart: one for each of its lines, if it was ordered once. */
  charges(cartId: string): Promise<Charge[]>;
  /** Waits until there are some. */
  charged(cartId: string): Promise<void>;
  books(): Promise<Books>;
}

export async function openShop(): Promise<OpenShop> {
  const opened = new Disposal();
  try {
    return await open(opened);
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

async function open(opened: Disposal): Promise<OpenShop> {
  const folder = await mkdtemp(join(tmpdir(), 'trpc-once-test-'));
  opened.defer(() => rm(folder, { recursive: true }));
  await buildPage(folder);
  const redis = opened.use(await freshRedis());
  const database = opened.use(await freshDatabase());
  const db = database.pool();
  const stores = await storesFromEnv({ DATABASE_URL: database.url, REDIS_URL: redis.url });
  opened.defer(() => stores.close());
  const { url } = opened.use(await startWebShop({ stores, folder }));
  const charges = async (cartId: string): Promise<Charge[]> => {
    const { rows } = await db.query(
      `SELECT l.account_id AS account, -l.amount_cents::int AS cents
       FROM ledger l JOIN orders o ON o.id = l.order_id WHERE o.reference LIKE $1 || '/%'`,
      [cartId],
    );
    return rows;
  };
  return {
    url,
    charges,
    async charged(cartId) {
      await until(async () => (await charges(cartId)).length > 0, { withinMs: 30_000 });
    },
    books: () => readBooks(db),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}
