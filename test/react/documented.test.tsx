import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loseAnswer, result, trpcError } from '../client/replies.js';
import { type ScriptedServer, scriptedServer } from '../client/scripted-server.js';
import { type Mounted, mount } from './mount.js';

let server: ScriptedServer;
let documented: typeof import('./documented/client.js') &
  typeof import('./documented/place-order.js') &
  typeof import('./documented/pending-orders.js') &
  typeof import('./documented/persisted-mutation.js') &
  typeof import('./documented/use-place-order.js') &
  typeof import('./documented/use-place-order-of-trpc.js');
let carts = 0;

beforeAll(async () => {
  server = await scriptedServer();
  process.env['DOCUMENTED_SHOP'] = server.url;
  documented = {
    ...(await import('./documented/client.js')),
    ...(await import('./documented/place-order.js')),
    ...(await import('./documented/pending-orders.js')),
    ...(await import('./documented/persisted-mutation.js')),
    ...(await import('./documented/use-place-order.js')),
    ...(await import('./documented/use-place-order-of-trpc.js')),
  };
});

afterAll(async () => {
  await documented.client.outbox.close();
  await server[Symbol.asyncDispose]();
});

/** The component of docs/react.md, with a cart that is renewed as its user asks. */
function page(): Mounted {
  const { PlaceOrder } = documented;
  const element = () => (
    <PlaceOrder
      cart={{ id: `cart-${carts}`, sku: 'tea', quantity: 1 }}
      startNewCart={() => {
        carts += 1;
        mounted.render(element());
      }}
    />
  );
  const mounted = mount(element());
  return mounted;
}

test("the docs' component shows the outcome until its user goes on, and then begins another order", async () => {
  server.next(result({ id: 7 }));
  using mounted = page();
  mounted.tap('Place order', 2);
  await mounted.shows('Order 7 is placed. Go on');
  mounted.tap('Order 7 is placed. Go on');
  await mounted.shows('Place order');
  expect(server.effects).toEqual(['cart-0']);
});

test("the docs' component asks for an unknown outcome under the same key", async () => {
  server.next(loseAnswer, loseAnswer, result({ id: 8 }));
  using mounted = page();
  mounted.tap('Place order');
  await mounted.shows('Not known yet, and kept. Ask again');
  mounted.tap('Not known yet, and kept. Ask again');
  await mounted.shows('Order 8 is placed. Go on');
  expect(server.effects).toEqual(['cart-0', 'cart-1']);
  mounted.tap('Order 8 is placed. Go on');
});

test("the docs' component tells a declared error, and goes on with another key", async () => {
  const declared = { name: 'OUT_OF_STOCK', data: { sku: 'tea' } };
  server.next(
    trpcError(409, { code: 'CONFLICT', declared, facts: { settlement: 'settled' } }),
    result({ id: 9 }),
  );
  using mounted = page();
  mounted.tap('Place order');
  await mounted.shows('tea is sold out. Go on');
  mounted.tap('tea is sold out. Go on');
  await mounted.shows('Place order');
  mounted.tap('Place order');
  await mounted.shows('Order 9 is placed. Go on');
  expect(server.effects).toEqual(['cart-0', 'cart-1', 'cart-3']);
});

test("the docs' component says why an order is kept, and goes on with it", async () => {
  server.next(trpcError(401, { code: 'UNAUTHORIZED' }), result({ id: 10 }));
  carts += 1;
  using mounted = page();
  mounted.tap('Place order');
  await mounted.shows('Kept until you have signed in again.Ask again');
  mounted.tap('Ask again');
  await mounted.shows('Order 10 is placed. Go on');

  server.next(loseAnswer, trpcError(403, { code: 'FORBIDDEN' }), result({ id: 11 }));
  mounted.tap('Order 10 is placed. Go on');
  mounted.tap('Place order');
  await mounted.shows('Kept: the shop would not look just now whether it was placed.Ask again');
  mounted.tap('Ask again');
  await mounted.shows('Order 11 is placed. Go on');
});

const queryClient = new QueryClient();

/** Both hooks of the docs for TanStack Query, and what the outbox has meanwhile. */
function Shop() {
  const { usePlaceOrder, usePlaceOrderOf, PendingOrders } = documented;
  const [told, tell] = useState('');
  const place = usePlaceOrder(tell);
  const placeOfTrpc = usePlaceOrderOf(queryClient, 'b');
  return (
    <>
      <button type="button" onClick={() => place.mutate({ id: 'a', sku: 'tea', quantity: 1 })}>
        ours
      </button>
      <button type="button" onClick={() => placeOfTrpc.mutate({ sku: 'tea', quantity: 1 })}>
        trpc
      </button>
      {told} {placeOfTrpc.data?.id} <PendingOrders />
    </>
  );
}

test("the docs' hooks for TanStack Query make one order of two taps, and show what is pending", async () => {
  using page = mount(
    <QueryClientProvider client={queryClient}>
      <Shop />
    </QueryClientProvider>,
  );
  const before = server.effects.length;
  server.next(loseAnswer, loseAnswer, result({ id: 21 }));
  page.tap('ours', 2);
  await page.shows(/No answer yet; it is kept\..*waiting, 2 attempts/);
  page.tap('ours');
  await page.shows(/Order 21 is placed\./);
  server.next(result({ id: 22 }));
  page.tap('trpc', 2);
  await page.shows(/ 22 $/);
  expect(new Set(server.effects.slice(before)).size).toBe(2);
});

test("the docs' options for persisted mutations send the variables' key as the key, and not in the input", async () => {
  server.next(result({ id: 31 }));
  const outcome = await documented.persisted.mutationFn({
    key: 'tap-1',
    owner: 'ann',
    sku: 'tea',
    quantity: 1,
  });
  expect(outcome).toEqual({ id: 31 });
  expect(server.effects.at(-1)).toBe('tap-1');
  expect(server.arrived.at(-1)?.body).toBe('{"sku":"tea","quantity":1}');
});
