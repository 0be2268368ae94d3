import type { AddressInfo } from 'node:net';
import { initTRPC } from '@trpc/server';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { createOnce, type OnceOptions, postgresRecords } from '@trpc-once/server';
import { expect, test, vi } from 'vitest';
import { Disposal } from '../bank/disposal.js';
import { freshDatabase, startPostgres, until } from '../resources/index.js';

// What a team without onEvent and onError reads in its terminal on the first day.

/** A server whose handler does what the input says; `log` is what it printed. */
async function open(
  pool: ReturnType<Awaited<ReturnType<typeof freshDatabase>>['pool']>,
  { wired, ...options }: Partial<OnceOptions<object, never>> & { readonly wired?: object } = {},
) {
  const stack = new Disposal();
  const log: string[] = [];
  const print = vi.spyOn(console, 'error').mockImplementation((text) => void log.push(String(text)));
  stack.defer(() => print.mockRestore());
  const once = createOnce({ records: postgresRecords(pool), scope: () => 'ann', ...options });
  stack.defer(() => once.close());
  const t = initTRPC.create();
  const router = t.router({
    pay: t.procedure
      .input((input) => String(input))
      .use(once.idempotent({ t }))
      .mutation(({ input }) => {
        if (input.startsWith('bug')) throw new Error(`no such card\n${input}`);
        return input;
      }),
  });
  const { responseMeta } = once;
  const createContext = once.context(() => ({}));
  const server = createHTTPServer({ router, createContext, responseMeta, ...wired } as never);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stack.defer(() => void server.close());
  stack.defer(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const pay = async (key: string, input = key) => {
    const response = await fetch(`http://127.0.0.1:${port}/pay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `"${key}"` },
      body: JSON.stringify(input),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { once, log, pay, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
}

test('a table that is not there is said with the line to write, first of all and once', async () => {
  await using database = await freshDatabase();
  await using app = await open(database.pool());
  app.once.sweeper.start();
  await until(() => app.log.length > 0, { what: 'the sweeper meets it' });
  for (let n = 0; n < 3; n++) expect((await app.pay(`k${n}`)).status).toBe(503);
  expect(app.log).toHaveLength(1);
  expect(app.log[0]).toContain('run `await once.migrate()` before serving');
  await app.once.migrate();
  expect((await app.pay('k0')).status).toBe(200);
});

test('responseMeta left out is said once, with the line to write; the answers are what they were', async () => {
  await using database = await freshDatabase();
  await using app = await open(database.pool(), { wired: { responseMeta: undefined } });
  await app.once.migrate();
  for (let n = 0; n < 3; n++) {
    const answer = await app.pay('k1');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('idempotency-status')).toBeNull();
  }
  await until(() => app.log.length > 0, { what: 'it is noticed', withinMs: 30_000 });
  expect(app.log).toEqual([expect.stringContaining('responseMeta: once.responseMeta')]);
});

test('a handler’s bug is said once with its path, key and place, and without what was sent', async () => {
  await using database = await freshDatabase();
  await using app = await open(database.pool());
  await app.once.migrate();
  for (let n = 0; n < 3; n++) expect((await app.pay('k1', 'bug 4111111111111111')).status).toBe(500);
  expect(app.log).toHaveLength(1);
  expect(app.log[0]).toMatch(/^trpc-once: pay with key k1 .*no such card\n +at .*wired-wrongly/s);
  expect(app.log[0]).not.toContain('4111');
});

test('a Postgres that is down is said once, and once more when it is back, with a count', async () => {
  await using postgres = await startPostgres();
  const { Pool } = await import('pg');
  const pool = new Pool({ connectionString: postgres.url });
  pool.on('error', () => {});
  try {
    await using app = await open(pool);
    await app.once.migrate();
    expect((await app.pay('before')).status).toBe(200);
    await postgres.stop();
    for (let n = 0; n < 20; n++) expect((await app.pay(`down ${n}`)).status).toBe(503);
    expect(app.log).toHaveLength(1);
    expect(app.log[0]).toContain('the records fail');
    await postgres.start();
    let n = 0;
    await until(async () => (await app.pay(`back ${n++}`)).status === 200 && app.log.length > 1, {
      what: 'its end is said',
      withinMs: 60_000,
    });
    expect(app.log.at(-1)).toMatch(/the records work again, after \d+ failures in \d+ s/);
    expect(app.log.length).toBeLessThan(5);
  } finally {
    await pool.end();
  }
});
