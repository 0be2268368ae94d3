import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPage } from '@trpc-once/example-shop';
import { startPostgres, startRedis } from '@trpc-once/local-services';
import { Pool } from 'pg';
import type { Disposal } from '../../bank/disposal.js';
import { ShopProcess } from './shop-process.js';

/** Enough for a night: what is turned down is turned down for want of cups. */
const DEPOSIT_CENTS = 1_000_000_000;

/** What the visitors visit. */
export interface Stage {
  readonly shop: ShopProcess;
  readonly db: Pool;
}

/** Builds the page, and starts a Postgres, a Redis and the shop. */
export async function openStage(disposal: Disposal): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'trpc-once-page-'));
  disposal.defer(() => rm(folder, { recursive: true }));
  await buildPage(folder);
  const postgres = disposal.use(await startPostgres());
  const redis = disposal.use(await startRedis());
  const db = new Pool({ connectionString: postgres.url, max: 2 });
  disposal.defer(() => db.end());
  const urls = { databaseUrl: postgres.url, redisUrl: redis.url };
  const shop = disposal.use(await ShopProcess.start({ folder, ...urls }));
  await db.query(
    `WITH richer AS (UPDATE accounts SET balance_cents = balance_cents + $1 RETURNING id, balance_cents)
     INSERT INTO ledger (account_id, amount_cents, balance_cents) SELECT id, $1, balance_cents FROM richer`,
    [DEPOSIT_CENTS],
  );
  return { shop, db };
}

/** More of what there are few of. */
export async function deliverCups(db: Pool): Promise<void> {
  await db.query(
    "UPDATE products SET stock = stock + 3, delivered = delivered + 3 WHERE sku = 'cup-rare' AND stock < 3",
  );
}
