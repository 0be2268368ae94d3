import { createIdempotentClient, memoryStorage } from '@trpc-once/client';
import { isDeclaredError } from '@trpc-once/contract';
import { freePort } from '@trpc-once/local-services';
import { expect, test } from 'vitest';
import { shop } from '../../examples/quick-start/src/contract.js';
import { freshDatabase, freshRedis, spawnProgram } from '../resources/index.js';

test('the README’s server runs as it stands, and its contract serves a client', async () => {
  await using database = await freshDatabase();
  await using redis = await freshRedis();
  const db = database.pool();
  await db.query('CREATE TABLE stock (sku text PRIMARY KEY, n int NOT NULL)');
  await db.query('CREATE TABLE orders (id int GENERATED ALWAYS AS IDENTITY, buyer text, sku text)');
  await db.query(`INSERT INTO stock VALUES ('tea', 2)`);
  const port = await freePort();
  await using _server = await spawnProgram(new URL('./quick-start-program.ts', import.meta.url), {
    env: { DATABASE_URL: database.url, REDIS_URL: redis.url, PORT: String(port) },
  });

  const client = createIdempotentClient({
    contract: shop,
    url: `http://localhost:${port}`,
    owner: () => 'ann',
    storage: memoryStorage(),
    headers: () => ({ authorization: 'Bearer ann' }),
  });
  const input = { sku: 'tea', quantity: 1 };
  const [one, two] = await Promise.all([
    client.orders.place.mutate(input, { intent: 'checkout:1' }),
    client.orders.place.mutate(input, { intent: 'checkout:1' }),
  ]);
  expect(two).toEqual(one);
  expect((await db.query('SELECT buyer, sku FROM orders')).rows).toEqual([{ buyer: 'ann', sku: 'tea' }]);

  const error = await client.orders.place.mutate({ sku: 'tea', quantity: 5 }).catch((cause) => cause);
  expect(isDeclaredError(error, shop.orders.place, 'OUT_OF_STOCK')).toBe(true);
  expect((await db.query('SELECT n FROM stock')).rows).toEqual([{ n: 1 }]);
  await client.outbox.close();
});
