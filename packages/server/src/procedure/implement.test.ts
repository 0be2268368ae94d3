import { initTRPC, TRPCError } from '@trpc/server';
import { defineContract, procedure } from '@trpc-once/contract';
import superjson from 'superjson';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type EmbeddedRecords, effect, embeddedRecords } from '../testing/embedded-records.js';
import { overHttp } from '../testing/over-http.js';
import { createOnce } from './create-once.js';

interface Context {
  readonly user: string;
}

const tree = {
  orders: {
    place: procedure
      .input(z.object({ sku: z.string(), quantity: z.number().default(1) }))
      .output(z.object({ id: z.string(), at: z.date().transform((at) => at.getTime()) }))
      .idempotent()
      .mutation(),
    note: procedure.input(z.string()).mutation(),
  },
} as const;
const shop = defineContract(tree);

let db: EmbeddedRecords;
beforeAll(async () => {
  db = await embeddedRecords();
}, 60_000);
beforeEach(() => db.clear());
afterAll(() => db.close());

const open = () => createOnce({ records: db.records, scope: (ctx: Context) => ctx.user });
const t = initTRPC.context<Context>().create({ isDev: false });

const handlers = {
  orders: {
    place: async ({ tx, input }: { tx: any; input: { sku: string } }) => {
      await effect(tx, input.sku);
      return { id: input.sku, at: new Date(5) };
    },
    note: () => {},
  },
};

test('the router calls by the contract’s paths, parses in and out, and settles what went out', async () => {
  const once = open();
  const call = overHttp(once.implement(shop, { procedure: t.procedure }, handlers), once);
  for (const status of ['settled', 'replayed']) {
    const answer = await call('orders.place', { sku: 'tea' }, { key: 'k1' });
    expect(answer.body).toEqual({ result: { data: { id: 'tea', at: 5 } } });
    expect(answer.headers.get('idempotency-status')).toBe(status);
  }
  expect(await db.effects()).toEqual(['tea']);
});

test('a group may have a name that every object has already', async () => {
  const odd = defineContract({
    constructor: { toString: procedure.output(z.string()).idempotent().mutation() },
  });
  const once = open();
  const own = { constructor: { toString: () => 'called' } } as never;
  const call = overHttp(once.implement(odd, { procedure: t.procedure }, own), once);
  expect((await call('constructor.toString', undefined, { key: 'k1' })).body).toEqual({
    result: { data: 'called' },
  });
  expect(Object).not.toHaveProperty('toString.kind');
});

test('an output that breaks the contract is a fault of the handler, and leaves nothing', async () => {
  const once = open();
  const broken = {
    orders: { ...handlers.orders, place: ({ tx }: any) => effect(tx, 'x').then(() => ({ id: 5 })) },
  };
  const call = overHttp(once.implement(shop, { procedure: t.procedure }, broken as never), once);
  const answer = await call('orders.place', { sku: 'tea' }, { key: 'k1' });
  expect(answer.status).toBe(500);
  expect(answer.body.error.data.idempotency).toEqual({ key: 'k1', settlement: 'released' });
  expect(await db.effects()).toEqual([]);
});

test('a key that is missing is refused before the app’s middlewares have done any work', async () => {
  const once = open();
  let worked = 0;
  const busy = t.procedure.use(({ next }) => {
    worked++;
    return next();
  });
  const call = overHttp(once.implement(shop, { procedure: busy }, handlers), once);
  expect((await call('orders.place', { sku: 'tea' })).body.error.data.idempotency.refusal).toBe(
    'KEY_MISSING',
  );
  expect(worked).toBe(0);
  expect((await call('orders.note', 'hello')).status).toBe(200);
  expect(worked).toBe(1);
});

test('the app’s middlewares run before the claim and on every replay, and say who it is', async () => {
  const once = createOnce({ records: db.records, scope: (ctx: { principal: string }) => ctx.principal });
  let allowed = true;
  const authed = t.procedure.use(({ ctx, next }) => {
    if (!allowed) throw new TRPCError({ code: 'FORBIDDEN' });
    return next({ ctx: { principal: ctx.user } });
  });
  const call = overHttp(once.implement(shop, { procedure: authed }, handlers), once);
  expect((await call('orders.place', { sku: 'tea' }, { key: 'k1' })).status).toBe(200);
  allowed = false;
  expect((await call('orders.place', { sku: 'tea' }, { key: 'k1' })).status).toBe(403);
});

test('a default that a deploy adds does not turn a retry into a mismatch', async () => {
  const once = open();
  const before = overHttp(once.implement(shop, { procedure: t.procedure }, handlers), once);
  await before('orders.place', { sku: 'tea' }, { key: 'k1' });
  const later = defineContract({
    orders: {
      ...tree.orders,
      place: procedure
        .input(
          z.object({ sku: z.string(), quantity: z.number().default(2), gift: z.boolean().default(false) }),
        )
        .output(z.object({ id: z.string(), at: z.number() }))
        .idempotent()
        .mutation(),
    },
  });
  const after = overHttp(
    once.implement(
      later,
      { procedure: t.procedure },
      {
        orders: { place: () => expect.fail('it ran'), note: () => {} },
      },
    ),
    once,
  );
  const answer = await after('orders.place', { sku: 'tea' }, { key: 'k1' });
  expect(answer.body).toEqual({ result: { data: { id: 'tea', at: 5 } } });
});

test('a context that is an instance of a class is one for the handler too', async () => {
  class Session {
    readonly user = 'ann';
    readonly #language = 'en';
    get language() {
      return this.#language;
    }
  }
  const once = open();
  const seen: string[] = [];
  const router = once.implement(
    shop,
    { procedure: initTRPC.context<Session>().create({ isDev: false }).procedure },
    {
      orders: {
        place: ({ ctx, input }) => {
          seen.push(ctx.language);
          return { id: input.sku, at: new Date(5) };
        },
        note: ({ ctx }) => void seen.push(ctx.language),
      },
    },
  );
  const call = overHttp(router, once, () => new Session());
  expect((await call('orders.place', { sku: 'tea' }, { key: 'k1' })).status).toBe(200);
  expect((await call('orders.note', 'hello')).status).toBe(200);
  expect(seen).toEqual(['en', 'en']);
});

test('the handler’s context holds what the app put there, and nothing else that anybody could enumerate', async () => {
  const once = open();
  let keys: string[] = [];
  const named = t.procedure.use(({ next }) => next({ ctx: { name: 'Ada' } }));
  const router = once.implement(
    shop,
    { procedure: named },
    {
      orders: {
        ...handlers.orders,
        place: ({ ctx, input }) => {
          keys = Object.keys(ctx);
          return { id: input.sku, at: new Date(5) };
        },
      },
    },
  );
  await overHttp(router, once)('orders.place', { sku: 'tea' }, { key: 'k1' });
  expect(keys.sort()).toEqual(['name', 'user']);
});

test('the app’s own error format stays, with what became of the operation added to its data', async () => {
  const once = open();
  const formatted = initTRPC.context<Context>().create({
    isDev: false,
    errorFormatter: ({ shape }) => ({ ...shape, data: { ...shape.data, support: 'call us' } }),
  });
  const call = overHttp(once.implement(shop, { procedure: formatted.procedure }, handlers), once);
  const refused = await call('orders.place', { sku: 'tea' });
  expect(refused.body.error.data).toMatchObject({
    support: 'call us',
    idempotency: { refusal: 'KEY_MISSING' },
  });
  const malformed = await call('orders.place', { sku: 5 }, { key: 'k1' });
  expect(malformed.status).toBe(400);
  expect(malformed.body.error.data).toMatchObject({ support: 'call us' });
});

describe('what cannot work is refused when the router is built', () => {
  test('handlers that do not match the contract', () => {
    expect(() => open().implement(shop, { procedure: t.procedure }, { orders: {} } as never)).toThrow(
      'no handler for orders.place, orders.note',
    );
  });

  test('a transformer that only one side has', () => {
    const once = open();
    const transforming = initTRPC.context<Context>().create({ transformer: superjson });
    expect(() => once.implement(shop, { procedure: transforming.procedure }, handlers)).toThrow(
      'defineContract',
    );
    const transformed = defineContract(tree, { transformer: superjson });
    expect(() => once.implement(transformed, { procedure: t.procedure }, handlers)).toThrow(
      'initTRPC.create()',
    );
    expect(() => once.implement(transformed, { procedure: transforming.procedure }, handlers)).not.toThrow();
  });

  test('a base that was not made by initTRPC', () => {
    expect(() => open().implement(shop, { procedure: { _def: {} } } as never, handlers)).toThrow('initTRPC');
  });
});
