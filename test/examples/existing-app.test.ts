import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { expect, test } from 'vitest';
import { freshDatabase } from '../resources/index.js';

test('docs/existing-app.md: a router of one’s own, its client and two taps are one order', async () => {
  await using database = await freshDatabase();
  const { DATABASE_URL, REDIS_URL } = process.env;
  process.env['DATABASE_URL'] = database.url;
  delete process.env['REDIS_URL'];
  const app = await import('./existing-app/router.js');
  Object.assign(process.env, DATABASE_URL && { DATABASE_URL }, REDIS_URL && { REDIS_URL });
  const server = createHTTPServer({
    router: app.appRouter,
    createContext: app.once.context(() => ({})),
    responseMeta: app.once.responseMeta,
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env['EXISTING_APP'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { checkOut, link, trpc } = await import('./existing-app/client.js');

  const taps = [checkOut({ id: '1', sku: 'tea' }), checkOut({ id: '1', sku: 'tea' })];
  expect(await Promise.all(taps)).toEqual(['Order 1 is placed.', 'Order 1 is placed.']);
  expect(await checkOut({ id: '2', sku: 'gold' })).toBe('gold is sold out.');
  expect(await trpc.orders.list.query()).toEqual([{ id: 1, sku: 'tea' }]);

  await link.outbox.close();
  server.close();
  server.closeAllConnections();
  await app.once.close();
  await app.closeStores();
});
