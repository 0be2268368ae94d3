import { createTRPCClient, safe, type TRPCClient } from '@trpc/client';
import {
  type DeclaredErrorOf,
  declaredError,
  defineContract,
  type ErrorsOf,
  type Manifest,
  manifest,
  procedure,
  type RouterOf,
} from '@trpc-once/contract';
import superjson from 'superjson';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import {
  type IdempotentMutation,
  idempotencyLink,
  idempotent,
  memoryStorage,
  type Outbox,
} from '../index.js';
import { createIdempotentClient } from './create-idempotent-client.js';

const tree = {
  orders: {
    place: procedure
      .input(z.object({ sku: z.string(), at: z.date().optional() }))
      .output(z.object({ orderId: z.string(), at: z.date() }))
      .errors({ OUT_OF_STOCK: { code: 'CONFLICT', data: z.object({ sku: z.string() }) } })
      .idempotent()
      .mutation(),
    byId: procedure
      .input(z.string())
      .output(z.object({ orderId: z.string() }))
      .query(),
  },
  increment: procedure.output(z.number()).idempotent().mutation(),
  notes: { add: procedure.input(z.string()).mutation() },
};
const shop = defineContract(tree);
const calendar = defineContract(tree, { transformer: superjson });

const common = { url: '/trpc', owner: () => null, storage: memoryStorage() };
const client = createIdempotentClient({ ...common, contract: shop });

test('inputs are those of the contract', () => {
  expectTypeOf(client.orders.place.mutate)
    .parameter(0)
    .toEqualTypeOf<{ sku: string; at?: Date | undefined }>();
  // @ts-expect-error sku is text
  void client.orders.place.mutate({ sku: 1 });
  // @ts-expect-error sku is missing
  void client.orders.place.mutate({});
  // @ts-expect-error there is an input
  void client.orders.place.mutate();
  void client.increment.mutate();
  void client.increment.mutate(undefined, { intent: 'once' });
  // @ts-expect-error there is no input
  void client.increment.mutate(1);
});

test('outputs are what the wire leaves of them', async () => {
  expectTypeOf(await client.orders.place.mutate({ sku: 'tea' })).toEqualTypeOf<{
    orderId: string;
    at: string;
  }>();
  const transformed = createIdempotentClient({ ...common, contract: calendar });
  expectTypeOf(await transformed.orders.place.mutate({ sku: 'tea' })).toEqualTypeOf<{
    orderId: string;
    at: Date;
  }>();
  expectTypeOf(await client.increment.mutate()).toEqualTypeOf<number>();
  expectTypeOf(await client.orders.byId.query('o1')).toEqualTypeOf<{ orderId: string }>();
});

test('an idempotent call is of a type that can be named, in a few words', () => {
  expectTypeOf(client.orders.place).toEqualTypeOf<
    IdempotentMutation<
      { sku: string; at?: Date | undefined },
      { orderId: string; at: string },
      ErrorsOf<typeof shop.orders.place>
    >
  >();
});

test('what the contract does not have cannot be called', () => {
  // @ts-expect-error no such procedure
  void client.orders.cancel;
  // @ts-expect-error a mutation is no query
  void client.orders.place.query;
  // @ts-expect-error a query is no mutation
  void client.orders.byId.mutate;
});

declare const cart: { readonly id: string } | undefined;

test('what concerns an operation is for idempotent calls only', () => {
  const aborting = new AbortController();
  const options = {
    intent: 'i',
    key: 'k',
    retry: { maxAttempts: 2 },
    waitMs: 1,
    signal: aborting.signal,
    context: {},
  };
  void client.orders.place.mutate({ sku: 'tea' }, options);
  void client.notes.add.mutate('text', { signal: aborting.signal, context: { trace: 1 } });
  // @ts-expect-error not idempotent: there is nothing an intent could name
  void client.notes.add.mutate('text', { intent: 'i' });
  // @ts-expect-error a query has no key
  void client.orders.byId.query('o1', { key: 'k' });
  // @ts-expect-error not a field of a retry policy
  void client.orders.place.mutate({ sku: 'tea' }, { retry: { retries: 3 } });
  // @ts-expect-error given and not known yet: it would be an operation without a name
  void client.orders.place.mutate({ sku: 'tea' }, { key: cart?.id });
  // @ts-expect-error misspelt
  void client.orders.place.mutate({ sku: 'tea' }, { intend: 'i' });
  // @ts-expect-error misspelt
  idempotent({ intend: 'i' });
  // @ts-expect-error given and not known yet
  idempotent({ intent: cart?.id });
  void client.orders.place.mutate({ sku: 'tea' }, { ...(cart && { intent: cart.id }) });
  void client.orders.place.mutate({ sku: 'tea' }, idempotent({ intent: 'i' }));
  // @ts-expect-error an intent is text
  void client.orders.place.mutate({ sku: 'tea' }, { intent: 1 });
});

test('the promise of an idempotent call tells the key; no other does', () => {
  expectTypeOf(client.orders.place.mutate({ sku: 'tea' }).key).toEqualTypeOf<() => Promise<string>>();
  // @ts-expect-error it has none
  void client.notes.add.mutate('text').key;
});

test("tRPC's safe() types the error by the procedure, and its declared errors with it", async () => {
  const [order, error] = await safe(client.orders.place.mutate({ sku: 'tea' }));
  if (!error) expectTypeOf(order).toEqualTypeOf<{ orderId: string; at: string }>();
  if (error?.data?.declared?.name === 'OUT_OF_STOCK')
    expectTypeOf(error.data.declared.data).toEqualTypeOf<{ sku: string }>();
  expectTypeOf(declaredError(error, shop.orders.place)).toEqualTypeOf<
    DeclaredErrorOf<ErrorsOf<typeof shop.orders.place>> | undefined
  >();
});

test('the outbox stands beside the calls', () => {
  expectTypeOf(client.outbox).toEqualTypeOf<Outbox>();
});

test('a manifest types like its contract, and demands the transformer that it cannot hold', () => {
  const small = createIdempotentClient({ ...common, contract: manifest(shop) });
  expectTypeOf(small).toEqualTypeOf(client);
  const fromJson = JSON.parse('{}') as Manifest<typeof calendar>;
  const transformed = createIdempotentClient({ ...common, contract: fromJson, transformer: superjson });
  expectTypeOf(transformed.orders.place.mutate)
    .parameter(0)
    .toEqualTypeOf<{ sku: string; at?: Date | undefined }>();
  // @ts-expect-error the calendar's wire needs its transformer
  createIdempotentClient({ ...common, contract: fromJson });
  // @ts-expect-error the shop's has none
  createIdempotentClient({ ...common, contract: manifest(shop), transformer: superjson });
});

test('who is signed in and where operations are kept has to be said', () => {
  // @ts-expect-error no owner
  createIdempotentClient({ contract: shop, url: '/trpc', storage: memoryStorage() });
  // @ts-expect-error misspelt
  createIdempotentClient({ ...common, contract: shop, retries: 3 });
  // @ts-expect-error a router is no contract
  createIdempotentClient({ ...common, contract: { _def: {} } });
  // @ts-expect-error no contract
  createIdempotentClient(common);
  // @ts-expect-error no owner beside a manifest either
  createIdempotentClient({ contract: manifest(shop), url: '/trpc', storage: memoryStorage() });
  // @ts-expect-error no storage
  createIdempotentClient({ contract: shop, url: '/trpc', owner: () => null });
});

test("it can be used wherever a tRPC client of the contract's router can", () => {
  expectTypeOf(client).toExtend<TRPCClient<RouterOf<typeof shop>>>();
});

test('the link fits any tRPC client', () => {
  const once = idempotencyLink({ ...common, contract: shop });
  expectTypeOf(once.outbox).toEqualTypeOf<Outbox>();
  createTRPCClient<RouterOf<typeof shop>>({ links: [once] });
});
