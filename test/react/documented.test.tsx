import { afterAll, beforeAll, expect, test } from 'vitest';
import { loseAnswer, result, trpcError } from '../client/replies.js';
import { type ScriptedServer, scriptedServer } from '../client/scripted-server.js';
import { type Mounted, mount } from './mount.js';

let server: ScriptedServer;
let documented: typeof import('./documented/client.js') & typeof import('./documented/place-order.js');
let carts = 0;

beforeAll(async () => {
  server = await scriptedServer();
  process.env['DOCUMENTED_SHOP'] = server.url;
  documented = {
    ...(await import('./documented/client.js')),
    ...(await import('./documented/place-order.js')),
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
