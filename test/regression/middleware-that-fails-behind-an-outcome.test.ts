import { once as event } from 'node:events';
import type { AddressInfo } from 'node:net';
import { initTRPC, TRPCError } from '@trpc/server';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { createOnce, postgresRecords } from '@trpc-once/server';
import { expect, test } from 'vitest';
import { Disposal } from '../bank/disposal.js';
import { freshDatabase } from '../resources/index.js';

// Its error carries nothing of ours, so the 403 went out bare, and a client takes a bare 4xx on its first attempt for
// "it did not happen". once.implement said so already; once.idempotent, which is not in front of it, did not.
test('a middleware in front of once.idempotent that fails behind the commit does not say that nothing happened', async () => {
  await using stack = new Disposal();
  const database = stack.use(await freshDatabase());
  const pool = database.pool({ max: 2 });
  await pool.query('CREATE TABLE charges (amount int)');
  const once = createOnce({ records: postgresRecords(pool), scope: () => 'ann' });
  await once.migrate();
  const t = initTRPC.create();
  let audits = 0;
  const audited = t.procedure.use(async ({ next }) => {
    const result = await next();
    if (audits++ === 0) throw new TRPCError({ code: 'FORBIDDEN', message: 'not to be audited' });
    return result;
  });
  const router = t.router({
    charge: audited.use(once.idempotent({ t })).mutation(async ({ ctx }) => {
      await ctx.tx.query('INSERT INTO charges VALUES (1)');
      return 'charged';
    }),
  });
  const server = createHTTPServer({
    router,
    createContext: once.context(),
    responseMeta: once.responseMeta,
  }).listen(0, '127.0.0.1');
  stack.defer(() => server.close());
  await event(server, 'listening');
  const charge = async (path: string, body: string) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`;
    const headers = { 'content-type': 'application/json', 'idempotency-key': '"k1"' };
    const response = await fetch(url, { method: 'POST', headers, body });
    return { status: response.status, body: (await response.json()) as any };
  };

  const first = await charge('charge', '{}');
  expect(first.status).toBe(403);
  expect(first.body.error.data).toMatchObject({
    code: 'FORBIDDEN',
    idempotency: { settlement: 'unknown', key: 'k1' },
  });
  expect(await charge('charge', '{}')).toMatchObject({ status: 200, body: { result: { data: 'charged' } } });
  audits = 0;
  const [inBatch] = (await charge('charge?batch=1', '{"0":{}}')).body;
  expect(inBatch.error.data.idempotency.settlement).toBe('unknown');
  expect((await pool.query('SELECT FROM charges')).rowCount).toBe(1);
});
