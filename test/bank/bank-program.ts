import { type FaultPoint, postgresRecords, redisClaims } from '@trpc-once/server';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { parent } from '../resources/parent.js';
import type { Sql } from './bank-tables.js';
import { startBank } from './start-bank.js';

/** One server instance of the bank in a process of its own, which dies or halts at the fault point it is told. */

export interface BankOrder {
  readonly do: 'die' | 'halt';
  readonly at: FaultPoint | 'handler';
}

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], pipeline: true } as object);
pool.on('error', () => {});
const redis = new Redis(process.env['REDIS_URL'] as string, { retryStrategy: () => 50 });
redis.on('error', () => {});

let order: BankOrder | undefined;

async function reach(point: BankOrder['at']): Promise<void> {
  if (order?.at !== point) return;
  if (order.do === 'die') {
    process.kill(process.pid, 'SIGKILL');
    // The signal is on its way; nothing after this point may run.
    await new Promise(() => {});
  }
  order = undefined;
  parent.tell('halted');
  await parent.hear('go on', 120_000);
}

const bank = await startBank({
  db: pool as Sql,
  records: postgresRecords(pool) as never,
  claims: redisClaims(redis, { prefix: process.env['REDIS_PREFIX'] as string }),
  faults: reach,
  hooks: { after: () => reach('handler') },
});
parent.tell('ready', { url: bank.url });
for (;;) {
  order = await parent.hear<BankOrder>('order', 600_000);
  parent.tell('ordered');
}
