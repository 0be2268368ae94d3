import { initTRPC } from '@trpc/server';
import { defineContract, procedure, type RouterOf } from '@trpc-once/contract';
import { createOnce, type Handlers, type PgTransaction, postgresRecords } from '@trpc-once/server';
import { Pool } from 'pg';
import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';

const shop = defineContract({
  orders: {
    place: procedure
      .input(z.object({ sku: z.string(), quantity: z.number().default(1) }))
      .output(z.object({ id: z.string() }))
      .errors({ OUT_OF_STOCK: { code: 'CONFLICT', data: z.object({ left: z.number() }) } })
      .errors({ CLOSED: { code: 'FORBIDDEN' } })
      .idempotent()
      .mutation(),
    byId: procedure
      .input(z.string())
      .output(z.object({ id: z.string() }))
      .query(),
  },
  touch: procedure.idempotent().mutation(),
});

interface Context {
  userId: string;
}

const t = initTRPC.context<Context>().create();
const once = createOnce({ scope: (ctx: Context) => ctx.userId, records: postgresRecords(new Pool()) });
const base = { procedure: t.procedure };

/** Handlers that are right; each test below gets one thing wrong. */
const right: Handlers<typeof shop, Context, PgTransaction> = {
  orders: { place: async () => ({ id: '1' }), byId: () => ({ id: '1' }) },
  touch: () => {},
};
const { place, byId } = right.orders;
const { touch } = right;

describe('implement()', () => {
  test('gives the router that the contract describes', () => {
    const router = once.implement(shop, base, right);
    expectTypeOf(router._def.record).toEqualTypeOf<RouterOf<typeof shop>['_def']['record']>();
    expectTypeOf(router.createCaller).parameter(0).toExtend<Context | (() => Context | Promise<Context>)>();
  });

  test('misses a handler', () => {
    // @ts-expect-error orders.byId
    once.implement(shop, base, { orders: { place }, touch });
    // @ts-expect-error orders, all of them
    once.implement(shop, base, { touch });
    // @ts-expect-error everything
    once.implement(shop, base, {});
  });

  test('refuses a handler that the contract knows nothing of', () => {
    // @ts-expect-error orders.cancel
    once.implement(shop, base, { orders: { place, byId, cancel: () => {} }, touch });
    // @ts-expect-error a group
    once.implement(shop, base, { orders: { place, byId }, touch, accounts: { byId } });
    // @ts-expect-error a handler where the contract has a group
    once.implement(shop, base, { orders: place, touch });
  });

  test('refuses an output that the contract does not promise', () => {
    // @ts-expect-error an id is a text
    once.implement(shop, base, { orders: { place: () => ({ id: 1 }), byId }, touch });
    // @ts-expect-error an id is missing
    once.implement(shop, base, { orders: { place: async () => ({}), byId }, touch });
    // @ts-expect-error something is promised
    once.implement(shop, base, { orders: { place: () => {}, byId }, touch });
    // @ts-expect-error null is not nothing
    once.implement(shop, base, { orders: { place, byId: () => null }, touch });
  });

  test('refuses a base whose context lacks what scope() reads', () => {
    const stranger = initTRPC.context<{ visitor: string }>().create();
    // @ts-expect-error there is no userId
    once.implement(shop, { procedure: stranger.procedure }, right);
    // @ts-expect-error a procedure of one's own is not left out: there its authentication would be
    once.implement(shop, {}, right);
  });

  test('gives a handler the context that the middlewares made', () => {
    const named = t.procedure.use(({ next }) => next({ ctx: { name: 'Ada' } }));
    once.implement(
      shop,
      { procedure: named },
      {
        orders: {
          place: ({ ctx }) => {
            expectTypeOf(ctx.name).toEqualTypeOf<string>();
            expectTypeOf(ctx.userId).toEqualTypeOf<string>();
            return { id: '1' };
          },
          byId,
        },
        touch,
      },
    );
  });
});

describe('a handler', () => {
  type Options = Parameters<typeof place>[0];

  test('gets its input as validated, the transaction and the key', () => {
    expectTypeOf<Options['input']>().toEqualTypeOf<{ sku: string; quantity: number }>();
    expectTypeOf<Options['tx']>().toEqualTypeOf<PgTransaction>();
    expectTypeOf<Options['key']>().toEqualTypeOf<string>();
  });

  test('gets no signal when it is idempotent, since it finishes whoever has gone', () => {
    expectTypeOf<Options>().not.toHaveProperty('signal');
    expectTypeOf<Parameters<typeof byId>[0]>().toHaveProperty('signal');
  });

  test('gets no transaction and no key when it is not idempotent', () => {
    expectTypeOf<Parameters<typeof byId>[0]>().not.toHaveProperty('tx');
    expectTypeOf<Parameters<typeof byId>[0]>().not.toHaveProperty('key');
  });

  test('throws the errors that its procedure declares, with their data, and no others', () => {
    const fail = ({ errors }: Options) => {
      throw errors.OUT_OF_STOCK({ left: 0 });
    };
    const close = ({ errors }: Options) => {
      throw errors.CLOSED();
    };
    const wrong = ({ errors }: Options) => {
      // @ts-expect-error nobody declares it
      errors.INSUFFICIENT_FUNDS();
      // @ts-expect-error its data is missing
      errors.OUT_OF_STOCK();
      // @ts-expect-error its data is wrong
      errors.OUT_OF_STOCK({ left: 'none' });
      // @ts-expect-error it has no data
      errors.CLOSED({ left: 0 });
    };
    return [fail, close, wrong];
  });
});

test('createOnce() needs to be told whose operation a call is, and where outcomes settle', () => {
  const records = postgresRecords(new Pool());
  // @ts-expect-error no scope
  createOnce({ records });
  // @ts-expect-error no records
  createOnce({ scope: (ctx: Context) => ctx.userId });
  // @ts-expect-error a principal is a text, a list of texts, or nobody
  createOnce({ records, scope: (ctx: Context) => ({ user: ctx.userId }) });
});
