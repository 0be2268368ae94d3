import { createTRPCClient, httpLink, safe, type TRPCClientError } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import superjson from 'superjson';
import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { procedure } from '../procedure/builder.js';
import type { IdempotencyFacts } from '../refusals/idempotency-facts.js';
import { defineContract } from './define-contract.js';
import { type Manifest, manifest } from './manifest.js';
import type { RouterOf } from './router-of.js';

const tree = {
  orders: {
    place: procedure
      .input(z.object({ sku: z.string(), quantity: z.number().default(1) }))
      .output(z.object({ id: z.string(), at: z.date() }))
      .errors({
        OUT_OF_STOCK: { code: 'CONFLICT', data: z.object({ left: z.number() }) },
        CLOSED: { code: 'FORBIDDEN' },
      })
      .idempotent()
      .mutation(),
    byId: procedure
      .input(z.string())
      .output(z.object({ id: z.string() }))
      .query(),
  },
  touch: procedure.mutation(),
};
const plain = defineContract(tree);
const rich = defineContract(tree, { transformer: superjson });

type Plain = RouterOf<typeof plain>;
type Rich = RouterOf<typeof rich>;

describe('a plain tRPC client of a contract', () => {
  const client = createTRPCClient<Plain>({ links: [httpLink({ url: '' })] });

  test('takes what the contract takes, and nothing else', () => {
    client.orders.place.mutate({ sku: 'tea' });
    client.orders.place.mutate({ sku: 'tea', quantity: 2 });
    client.orders.byId.query('1');
    client.touch.mutate();
    // @ts-expect-error the sku is missing
    client.orders.place.mutate({ quantity: 2 });
    // @ts-expect-error a sku is a text
    client.orders.place.mutate({ sku: 1 });
    // @ts-expect-error nobody asked for that
    client.orders.place.mutate({ sku: 'tea', colour: 'red' });
    // @ts-expect-error it takes something
    client.orders.place.mutate();
    // @ts-expect-error it takes nothing
    client.touch.mutate({ now: true });
    // @ts-expect-error a mutation is not asked
    client.orders.place.query({ sku: 'tea' });
    // @ts-expect-error a query changes nothing
    client.orders.byId.mutate('1');
    // @ts-expect-error there is no such procedure
    client.orders.cancel.mutate('1');
    // @ts-expect-error there is no such group
    client.accounts.byId.query('1');
  });

  test('gives what the contract gives', async () => {
    expectTypeOf(await client.orders.byId.query('1')).toEqualTypeOf<{ id: string }>();
    expectTypeOf(await client.touch.mutate()).toEqualTypeOf<undefined>();
    // @ts-expect-error an order has no price
    (await client.orders.byId.query('1')).price;
  });

  test('gives dates as JSON has them without a transformer, and as dates with one', async () => {
    expectTypeOf(await client.orders.place.mutate({ sku: 'tea' })).toEqualTypeOf<{
      id: string;
      at: string;
    }>();
    const withDates = createTRPCClient<Rich>({ links: [httpLink({ url: '', transformer: superjson })] });
    expectTypeOf(await withDates.orders.place.mutate({ sku: 'tea' })).toEqualTypeOf<{
      id: string;
      at: Date;
    }>();
  });

  test('has to be given the transformer that the contract has, and none where it has none', () => {
    // @ts-expect-error the server speaks superjson
    createTRPCClient<Rich>({ links: [httpLink({ url: '' })] });
    // @ts-expect-error the server speaks JSON
    createTRPCClient<Plain>({ links: [httpLink({ url: '', transformer: superjson })] });
  });

  test('takes the transformer from options that are not known to have one as none', () => {
    const contract = defineContract(tree, {});
    createTRPCClient<RouterOf<typeof contract>>({ links: [httpLink({ url: '' })] });
  });
});

describe("tRPC's own inference", () => {
  test('gives the inputs', () => {
    expectTypeOf<inferRouterInputs<Plain>>().toEqualTypeOf<{
      orders: { place: { sku: string; quantity?: number | undefined }; byId: string };
      touch: void;
    }>();
    expectTypeOf<inferRouterInputs<Rich>>().toEqualTypeOf<inferRouterInputs<Plain>>();
  });

  test('gives the outputs, as they travel', () => {
    expectTypeOf<inferRouterOutputs<Plain>>().toEqualTypeOf<{
      orders: { place: { id: string; at: string }; byId: { id: string } };
      touch: undefined;
    }>();
    expectTypeOf<inferRouterOutputs<Rich>>().toEqualTypeOf<{
      orders: { place: { id: string; at: Date }; byId: { id: string } };
      touch: undefined;
    }>();
  });
});

describe('safe() of @trpc/client', () => {
  const client = createTRPCClient<Plain>({ links: [httpLink({ url: '' })] });

  test('gives the errors that the procedure declares, each with its data', async () => {
    const [order, error] = await safe(client.orders.place.mutate({ sku: 'tea' }));
    if (error === undefined) return expectTypeOf(order).toEqualTypeOf<{ id: string; at: string }>();
    expectTypeOf(error.data?.idempotency).toEqualTypeOf<IdempotencyFacts | undefined>();
    const declared = error.data?.declared;
    expectTypeOf(declared).toEqualTypeOf<
      | { readonly name: 'OUT_OF_STOCK'; readonly data: { left: number } }
      | { readonly name: 'CLOSED'; readonly data: undefined }
      | undefined
    >();
    if (declared?.name === 'OUT_OF_STOCK') expectTypeOf(declared.data.left).toEqualTypeOf<number>();
    // @ts-expect-error no such error is declared
    if (declared?.name === 'INSUFFICIENT_FUNDS') return;
    // @ts-expect-error this one has no data
    if (declared?.name === 'CLOSED') declared.data.left;
    return undefined;
  });

  test('gives no declared error where none is declared', async () => {
    const [, error] = await safe(client.orders.byId.query('1'));
    expectTypeOf(error?.data?.declared).toEqualTypeOf<undefined>();
  });
});

test('an error of the router as a whole still tells of idempotency', () => {
  type Data = NonNullable<TRPCClientError<Plain>['data']>;
  expectTypeOf<Data['idempotency']>().toEqualTypeOf<IdempotencyFacts | undefined>();
  expectTypeOf<Data['httpStatus']>().toEqualTypeOf<number>();
});

test('a manifest carries the type of its contract, so that a small client is typed as a full one is', () => {
  const small = manifest(plain);
  type ContractOf<T> = T extends Manifest<infer TContract> ? TContract : never;
  expectTypeOf<RouterOf<ContractOf<typeof small>>>().toEqualTypeOf<Plain>();
});

test('a contract is made of procedures and groups', () => {
  // @ts-expect-error a builder is not ended
  defineContract({ place: procedure });
  // @ts-expect-error an idempotent builder is not ended
  defineContract({ place: procedure.idempotent() });
  // @ts-expect-error a text is neither
  defineContract({ place: 'mutation' });
  // @ts-expect-error a transformer has two directions
  defineContract(tree, { transformer: { serialize: (value: unknown) => value } });
});
