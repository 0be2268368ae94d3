import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { sameKeyAgain } from '@trpc-once/contract';
import { createOnce } from '@trpc-once/server';
import { expect, test } from 'vitest';
import { freshDatabase } from '../resources/index.js';

const page = readFileSync(new URL('../../docs/server.md', import.meta.url), 'utf8');
const api = readFileSync(new URL('../../packages/server/api/server.api.md', import.meta.url), 'utf8');

/** The names in the first column of the table that stands first under a heading. */
function tableUnder(heading: string): string[] {
  const [, below = ''] = page.split(`\n${heading}\n`);
  const table = /\n\|.*\n\|[-|]+\|\n((?:\|.*\n)+)/.exec(below)?.[1] ?? '';
  const cells = [...table.matchAll(/^\| ([^|]*) \|/gm)].flatMap(([, cell]) => cell!.split(', '));
  return [...new Set(cells.map((cell) => cell.replaceAll('`', '')))].sort();
}

test('docs/server.md has all options of a server, and no others', () => {
  try {
    createOnce({ nothing: 1 } as never);
    expect.unreachable();
  } catch (error) {
    const known = /there are ([\w, ]+)/.exec((error as Error).message)![1]!.split(', ');
    expect(tableUnder('## Options')).toEqual(known.sort());
  }
});

test('docs/server.md has all events and all refusals, and no others', () => {
  const [, events = ''] = /export type OnceEvent = ([\s\S]*?)\n};\n\n/.exec(api) ?? [];
  const types = [...events.matchAll(/type: '([\w-]+)'/g)].map(([, type]) => type);
  expect(types.length).toBeGreaterThan(10);
  expect(tableUnder('## Events')).toEqual(types.sort());
  expect(tableUnder('### Refusals')).toEqual(Object.keys(sameKeyAgain).sort());
});

test('docs/server.md: its server settles, and replays the outcome with its headers', async () => {
  await using database = await freshDatabase();
  process.env['DOCUMENTED_DATABASE'] = database.url;
  const app = await import('./documented-server/server.js');
  await app.once.migrate();
  await app.pool.query(
    'CREATE TABLE orders (id int GENERATED ALWAYS AS IDENTITY, buyer text, sku text, key text)',
  );
  const server = createHTTPServer({
    router: app.router,
    createContext: app.once.context(() => ({ tenantId: 'north', userId: 'ann' })),
    responseMeta: app.once.responseMeta,
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = () =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/orders.place`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': '"7c3e"' },
      body: JSON.stringify({ sku: 'tea' }),
    });

  for (const status of ['settled', 'replayed']) {
    const answer = await place();
    expect(answer.headers.get('idempotency-status')).toBe(status);
    expect(answer.headers.get('location')).toBe('/orders/1');
    expect(await answer.json()).toEqual({ result: { data: { id: 1 } } });
  }
  expect((await app.pool.query('SELECT buyer, sku, key FROM orders')).rows).toEqual([
    { buyer: 'ann', sku: 'tea', key: '7c3e' },
  ]);
  expect(app.told.map(({ type }) => type)).toEqual(['answered', 'answered']);

  server.close();
  server.closeAllConnections();
  await app.once.close();
  await app.pool.end();
});
