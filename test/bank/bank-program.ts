import { type FaultPoint, postgresRecords, redisClaims } from '@trpc-once/server';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { parent } from '../resources/parent.js';
import type { Sql } from './bank-tables.js';
import { startBank } from './start-bank.js';

/** One server instance of the bank in a process of its own, which ends itself at the fault point it is told. */

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], pipeline: true } as object);
pool.on('error', () => {});
const redis = new Redis(process.env['REDIS_URL'] as string, { retryStrategy: () => 50 });
redis.on('error', () => {});

let dieAt: FaultPoint | 'handler' | undefined;
const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  // The signal is on its way; nothing after this point may run.
  return new Promise(() => {});
};

const bank = await startBank({
  db: pool as Sql,
  records: postgresRecords(pool) as never,
  claims: redisClaims(redis, { prefix: process.env['REDIS_PREFIX'] as string }),
  faults: (point) => {
    if (point === dieAt) return die();
    return undefined;
  },
  hooks: {
    async after() {
      if (dieAt === 'handler') await die();
    },
  },
});
parent.tell('ready', { url: bank.url });
for (;;) {
  dieAt = await parent.hear('die at', 600_000);
  parent.tell('armed');
}
