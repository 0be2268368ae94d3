import { postgresRecords, redisClaims } from '@trpc-once/server';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createBankTables, type Sql } from '../bank/bank-tables.js';
import { Disposal } from '../bank/disposal.js';
import { effects, oneEuro, send, startBank } from '../bank/index.js';
import { said } from '../faults/answer.js';
import { freshDatabase, freshRedis, until } from '../resources/index.js';

// With one Redis between them, the second was answered from the claim store with what had settled in the first.
test('two schemas of one database are two record stores: what settled in one is no outcome in the other', async () => {
  await using stack = new Disposal();
  const database = stack.use(await freshDatabase());
  const redis = stack.use(await freshRedis());
  const client = new Redis(redis.url);
  stack.defer(() => client.disconnect());
  const open = async (schema: string) => {
    const pool = database.pool({ max: 3, options: `-c search_path=${schema}` });
    await pool.query(`CREATE SCHEMA ${schema}`);
    await createBankTables(pool);
    const records = postgresRecords(pool, { schema }) as never;
    const claims = redisClaims(client, { prefix: redis.prefix });
    const bank = stack.use(await startBank({ db: pool as Sql, records, claims }));
    await bank.once.migrate();
    return { pool, ask: () => send(bank.url, 'transfer', oneEuro, { key: 'k1' }) };
  };
  const north = await open('north');
  const south = await open('south');
  expect(said(await north.ask())).toBe('settled');
  await until(async () => (await redis.keys()).length === 1, { what: 'Redis is told' });
  expect(said(await south.ask())).toBe('settled');
  expect(said(await north.ask())).toBe('replayed');
  expect(await effects(north.pool)).toBe(1);
  expect(await effects(south.pool)).toBe(1);
});
