import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { type EnvironmentStores, storesFromEnv } from '@trpc-once/server/embedded';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveShop } from './serve-shop.js';

let stores: EnvironmentStores;
let somebody: Server;
let taken: number;
beforeAll(async () => {
  stores = await storesFromEnv({});
  somebody = createServer().listen(0, '127.0.0.1');
  await once(somebody, 'listening');
  taken = (somebody.address() as AddressInfo).port;
}, 60_000);
afterAll(async () => {
  somebody.close();
  await stores.close();
});

it('a port that nobody asked for is given up for a free one, with a note, and the shop closes on the signal', async () => {
  const said: string[] = [];
  const end = new AbortController();
  const served = serveShop({
    ...{ stores, port: taken, portAsked: false, signal: end.signal },
    say: (text) => said.push(text),
  });
  await expect.poll(() => said).toHaveLength(2);
  expect(said[0]).toContain(`Port ${taken} is taken`);
  const [url = ''] = /http:\/\/\S+(?=,)/.exec(said[1]!) ?? [];
  expect((await fetch(`${url}/stock.list`)).status).toBe(200);
  end.abort();
  await served;
  await expect(fetch(`${url}/stock.list`)).rejects.toThrow();
});

it('a port that was asked for is not given up', async () => {
  const { signal } = new AbortController();
  const served = serveShop({ stores, port: taken, portAsked: true, signal, say: () => {} });
  await expect(served).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
