import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWebShop } from '@trpc-once/example-shop';
import { storesFromEnv } from '@trpc-once/server/embedded';
import { expect, test } from 'vitest';
import { freshDatabase, until } from '../resources/index.js';
import { startExample } from '../resources/start-example.js';

/** Somebody else's program. */
async function somebody() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

test.each(['shop/src/web/main.ts', 'shop/src/server/main.ts'])(
  '%s says what to do about a taken port before it starts anything, and shows no stack',
  async (file) => {
    await using other = await somebody();
    await using program = startExample(file, [], { PORT: String(other.port) });
    expect(await program.ended).toBe(2);
    expect(program.output()).toBe(
      `port ${other.port}, which PORT asks for, is taken: PORT=0 takes a free one\n`,
    );
  },
);

test('a page’s shop that finds its port taken leaves nothing running, so that another one can be tried', async () => {
  await using other = await somebody();
  await using database = await freshDatabase();
  const stores = await storesFromEnv({ DATABASE_URL: database.url });
  const folder = await mkdtemp(join(tmpdir(), 'trpc-once-test-'));
  const listening = () => process.getActiveResourcesInfo().filter((what) => what === 'TCPServerWrap').length;
  const before = listening();
  await expect(startWebShop({ stores, folder, port: other.port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  await until(() => listening() <= before, { what: 'nothing listens that did not before' });
  const shop = await startWebShop({ stores, folder });
  expect((await fetch(`${shop.url}/trpc/stock.list`)).status).toBe(200);
  await shop[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
  await stores.close();
});
