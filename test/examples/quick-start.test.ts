import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIdempotentClient, memoryStorage } from '@trpc-once/client';
import { isDeclaredError } from '@trpc-once/contract';
import { freePort } from '@trpc-once/local-services';
import { IDBFactory } from 'fake-indexeddb';
import { afterEach, expect, test, vi } from 'vitest';
import { shop } from '../../examples/quick-start/src/contract.js';
import { freshDatabase, freshRedis } from '../resources/index.js';
import { startExample } from '../resources/start-example.js';

// PGlite takes 3 s to start, and each program half a second; on a busy machine many times that.
vi.setConfig({ testTimeout: 180_000 });

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The README’s server, started as `npm run quick-start` does. */
async function serve(env: Readonly<Record<string, string>> = {}) {
  const port = await freePort();
  const program = startExample('quick-start/src/server.ts', [], {
    PORT: String(port),
    PGLITE_DIR: '',
    ...env,
  });
  await program.says(/answers on port/);
  return { port, output: program.output, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
}

test('the README’s server runs as it stands, and its contract serves a client', async () => {
  await using database = await freshDatabase();
  await using redis = await freshRedis();
  await using server = await serve({ DATABASE_URL: database.url, REDIS_URL: redis.url });
  expect(server.output()).toContain('records in Postgres (DATABASE_URL); claims in Redis (REDIS_URL)');
  const db = database.pool();

  const client = createIdempotentClient({
    contract: shop,
    url: `http://localhost:${server.port}`,
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

  const error = await client.orders.place.mutate({ sku: 'tea', quantity: 500 }).catch((cause) => cause);
  expect(isDeclaredError(error, shop.orders.place, 'OUT_OF_STOCK')).toBe(true);
  expect((await db.query('SELECT n FROM stock')).rows).toEqual([{ n: 99 }]);
  await client.outbox.close();
});

test('with nothing installed the README’s server sells to its client, and to npm run quick-start order', async () => {
  await using server = await serve();
  expect(server.output()).toContain('records in PGlite');

  // What a browser has; and its server is where this test's is.
  vi.stubGlobal('indexedDB', new IDBFactory());
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (url: string, init: RequestInit) =>
    fetch(String(url).replace('localhost:3000', `localhost:${server.port}`), init),
  );
  const { checkOut } = await import('../../examples/quick-start/src/client.js');
  expect(await Promise.all([checkOut('cart-1'), checkOut('cart-1')])).toEqual([
    'Order 1 is placed.',
    'Order 1 is placed.',
  ]);

  const outbox = await mkdtemp(join(tmpdir(), 'trpc-once-quick-start-'));
  await using order = startExample('quick-start/src/order.ts', [], {
    PORT: String(server.port),
    OUTBOX: outbox,
  });
  expect(await order.ended, order.output()).toBe(0);
  expect(order.output()).toContain('Order 2 is placed; the second tap was told order 2.');
  await rm(outbox, { recursive: true });
});
