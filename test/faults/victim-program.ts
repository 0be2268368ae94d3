import { randomUUID } from 'node:crypto';
import { type FaultPoint, postgresRecords, redisClaims } from '@trpc-once/server';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import type { Sql } from '../bank/bank-tables.js';
import { startBank } from '../bank/start-bank.js';
import { parent } from '../resources/parent.js';

/** One server instance of the bank that something is about to happen to: its attempts halt where they are told. */

export interface VictimOrder {
  readonly key: string;
  readonly haltAt: FaultPoint;
  /** How the handler takes this operation. @default at once and well */
  readonly handler?: 'fails' | 'is slow';
}

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], pipeline: true, max: 40 } as object);
pool.on('error', () => {});
const redis = new Redis(process.env['REDIS_URL'] as string, { retryStrategy: () => 50 });
redis.on('error', () => {});

const orders = new Map<string, VictimOrder>();
let goOn = (): void => {};
const toldToGoOn = new Promise<void>((resolve) => {
  goOn = resolve;
});

const bank = await startBank({
  db: pool as Sql,
  records: postgresRecords(pool) as never,
  claims: redisClaims(redis, { prefix: process.env['REDIS_PREFIX'] as string }),
  async faults(point, { key }) {
    if (orders.get(key)?.haltAt !== point) return;
    const { handler } = orders.get(key) as VictimOrder;
    orders.delete(key);
    parent.tell(`${key} halted`, handler);
    await toldToGoOn;
  },
  hooks: {
    echo: () => randomUUID(),
    async after({ key, tx }) {
      await tx.query(`INSERT INTO effect_origins VALUES ($1, 'victim')`, [key]);
      const order = orders.get(key);
      if (order?.handler === 'fails') throw new Error('not this time');
      if (order?.handler === 'is slow') await toldToGoOn;
    },
  },
  once: { findOutMs: 1_500, lookAfterMs: 0, whenInProgress: { waitMs: 1_500 } },
});
parent.tell('ready', { url: bank.url });

void parent.hear('go on', 600_000).then(async () => {
  goOn();
  // What an attempt does next it does within a few turns of the event loop, unless it waits for an answer.
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  parent.tell('went on');
});
for (;;) {
  const order = await parent.hear<VictimOrder>('order', 600_000);
  orders.set(order.key, order);
  parent.tell(`${order.key} ordered`);
}
