import { randomUUID } from 'node:crypto';
import { once as event } from 'node:events';
import type { AddressInfo } from 'node:net';
import { initTRPC } from '@trpc/server';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { defineContract, procedure, type Schema } from '@trpc-once/contract';
import { createOnce, postgresRecords } from '@trpc-once/server';
import { type } from 'arktype';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as z3 from 'zod/v3';
import { type FreshDatabase, freshDatabase } from '../resources/index.js';

type In = { sku: string; quantity: string };
type Parsed = { sku: string; quantity: number };

/** The same order in each library: a quantity arrives as text and is a number to the handler. */
const libraries: Record<string, { input: Schema<In, Parsed>; output: Schema<Parsed, Parsed> }> = {
  'zod 4': {
    input: z.object({ sku: z.string(), quantity: z.string().regex(/^\d+$/).transform(Number) }),
    output: z.object({ sku: z.string(), quantity: z.number() }),
  },
  'zod 3.25': {
    input: z3.object({ sku: z3.string(), quantity: z3.string().regex(/^\d+$/).transform(Number) }),
    output: z3.object({ sku: z3.string(), quantity: z3.number() }),
  },
  valibot: {
    input: v.object({ sku: v.string(), quantity: v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number)) }),
    output: v.object({ sku: v.string(), quantity: v.number() }),
  },
  arktype: {
    input: type({ sku: 'string', quantity: 'string.numeric.parse' }),
    output: type({ '+': 'delete', sku: 'string', quantity: 'number' }),
  },
};

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

describe.each(Object.entries(libraries))('with %s', (_library, { input, output }) => {
  async function startShop() {
    const once = createOnce({ records: postgresRecords(database.pool()), scope: () => 'ann' });
    await once.migrate();
    const contract = defineContract({ place: procedure.input(input).output(output).idempotent().mutation() });
    const ran: Parsed[] = [];
    const router = once.implement(
      contract,
      { procedure: initTRPC.create().procedure },
      {
        place: ({ input }) => {
          ran.push(input);
          return { ...input, secret: 'not part of the output' };
        },
      },
    );
    const server = createHTTPServer({
      router,
      createContext: once.context(() => ({})),
      responseMeta: once.responseMeta,
    });
    await event(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/place`;
    return {
      ran,
      place: (body: unknown, key: string) =>
        fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': key },
          body: JSON.stringify(body),
        }),
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await event(server.close(), 'close');
        await once.close();
      },
    };
  }

  test('a handler gets what was parsed, a caller what was promised, and a repeated request the same again', async () => {
    await using shop = await startShop();
    const key = randomUUID();
    const answers = [];
    for (const status of ['settled', 'replayed']) {
      const answer = await shop.place({ sku: 'tea', quantity: '2' }, key);
      expect(answer.headers.get('idempotency-status')).toBe(status);
      answers.push(await answer.json());
    }
    expect(answers[0]).toEqual({ result: { data: { sku: 'tea', quantity: 2 } } });
    expect(answers[1]).toEqual(answers[0]);
    expect(shop.ran).toEqual([{ sku: 'tea', quantity: 2 }]);
  });

  test('what is not valid is refused with 400, leaves no record, and its key can be used for what is', async () => {
    await using shop = await startShop();
    const key = randomUUID();
    expect((await shop.place({ sku: 'tea', quantity: 'some' }, key)).status).toBe(400);
    expect(shop.ran).toEqual([]);
    const { rows } = await database.pool().query('select 1 from idempotency_records where key = $1', [key]);
    expect(rows).toEqual([]);
    expect((await shop.place({ sku: 'tea', quantity: '2' }, key)).status).toBe(200);
    expect(shop.ran.length).toBe(1);
  });
});
