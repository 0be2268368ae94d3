import { type inferRouterInputs, type inferRouterOutputs, initTRPC } from '@trpc/server';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { defineContract, procedure } from '@trpc-once/contract';
import superjson from 'superjson';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { pgliteRecords, postgresRecords } from '../records/ready-made.js';
import { createOnce } from './create-once.js';

const Place = z.object({ sku: z.string(), quantity: z.coerce.number() });
const Order = z.object({ id: z.string(), at: z.date() });

const shop = defineContract({
  orders: {
    place: procedure.input(Place).output(Order).idempotent().mutation(),
    byId: procedure.input(z.string()).output(Order).query(),
  },
  touch: procedure.idempotent().mutation(),
});
const transformed = defineContract(
  { at: procedure.output(z.object({ at: z.date() })).query() },
  { transformer: superjson },
);

interface Context {
  userId: string;
}

const t = initTRPC.context<Context>().create();
const once = createOnce({ scope: (ctx: Context) => ctx.userId, records: postgresRecords(null as never) });
const router = once.implement(
  shop,
  { procedure: t.procedure },
  {
    orders: {
      place: ({ input }) => ({ id: input.sku, at: new Date() }),
      byId: (_) => ({ id: '1', at: new Date() }),
    },
    touch: () => {},
  },
);

test('the router is one that an adapter takes', () => {
  createHTTPServer({
    router,
    createContext: once.context(() => ({ userId: 'ann' })),
    responseMeta: once.responseMeta,
  });
  // @ts-expect-error the context lacks what the base was made for
  createHTTPServer({ router, createContext: once.context(() => ({ visitor: 'ann' })) });
});

test('the router can be part of another one', () => {
  const app = t.router({ shop: router, ping: t.procedure.query(() => 'pong') });
  expectTypeOf<inferRouterOutputs<typeof app>['ping']>().toEqualTypeOf<string>();
  expectTypeOf<inferRouterInputs<typeof app>['shop']['orders']['place']>().toEqualTypeOf<
    z.input<typeof Place>
  >();
  const caller = app.createCaller({ userId: 'ann' });
  expectTypeOf(caller.shop.orders.byId).parameter(0).toEqualTypeOf<string>();
  // @ts-expect-error the principal is missing
  app.createCaller({});
});

test('what callers get is what the contract says, over the wire or not', () => {
  type Outputs = inferRouterOutputs<typeof router>;
  // Without a transformer a date arrives as text.
  expectTypeOf<Outputs['orders']['place']>().toEqualTypeOf<{ id: string; at: string }>();
  const withDates = once.implement(
    transformed,
    { procedure: initTRPC.context<Context>().create({ transformer: superjson }).procedure },
    { at: () => ({ at: new Date() }) },
  );
  expectTypeOf<inferRouterOutputs<typeof withDates>['at']>().toEqualTypeOf<{ at: Date }>();
});

test('a handler cannot use its input as something else, nor as it was before validation', () => {
  const rest = { orders: { byId: () => ({ id: '1', at: new Date() }) }, touch: () => {} };
  once.implement(
    shop,
    { procedure: t.procedure },
    {
      ...rest,
      orders: {
        ...rest.orders,
        place: ({ input }) => {
          expectTypeOf(input.quantity).toEqualTypeOf<number>();
          // @ts-expect-error no such property
          return { id: input.product, at: new Date() };
        },
      },
    },
  );
});

test('tx is that of the records: another database gives another', () => {
  const embedded = createOnce({ scope: (ctx: Context) => ctx.userId, records: pgliteRecords({} as never) });
  embedded.implement(
    shop,
    { procedure: t.procedure },
    {
      orders: {
        place: async ({ tx }) => {
          const { rows } = await tx.query<{ id: string }>('SELECT 1');
          expectTypeOf(rows).toEqualTypeOf<{ id: string }[]>();
          // @ts-expect-error PGlite's exec could end the transaction, so it is not handed out
          tx.exec('COMMIT');
          return { id: '1', at: new Date() };
        },
        byId: () => ({ id: '1', at: new Date() }),
      },
      touch: () => {},
    },
  );
});

test('headers, key and errors are typed; signal is for plain procedures alone', () => {
  once.implement(
    shop,
    { procedure: t.procedure },
    {
      orders: {
        place: ({ headers, key, path, ...more }) => {
          headers.set('location', `/${path}/${key}`);
          // @ts-expect-error it finishes whoever has gone
          more.signal;
          // @ts-expect-error nothing is declared
          more.errors.SOLD_OUT;
          return { id: key, at: new Date() };
        },
        byId: ({ signal, ...more }) => {
          expectTypeOf(signal).toEqualTypeOf<AbortSignal | undefined>();
          // @ts-expect-error a query has no transaction
          more.tx;
          // @ts-expect-error and no key
          more.key;
          return { id: '1', at: new Date() };
        },
      },
      touch: async () => {},
    },
  );
});

test('a run time limit names an idempotent procedure of the contract', () => {
  const handlers = null as never;
  const { procedure: base } = t;
  once.implement(shop, { procedure: base, runTimeoutMs: { 'orders.place': 5_000, touch: 1 } }, handlers);
  // @ts-expect-error there is none
  once.implement(shop, { procedure: base, runTimeoutMs: { 'orders.plaec': 5_000 } }, handlers);
  // @ts-expect-error a query runs as long as it likes
  once.implement(shop, { procedure: base, runTimeoutMs: { 'orders.byId': 5_000 } }, handlers);
  once.idempotent({ t, runTimeoutMs: 5_000 });
});
