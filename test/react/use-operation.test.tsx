import { memoryStorage } from '@trpc-once/client';
import { useOutbox } from '@trpc-once/client/react';
import { until } from '@trpc-once/local-services';
import { expect, test } from 'vitest';
import { shopClient } from '../client/clients.js';
import { afterCommit, html, loseAnswer, refusal, trpcError } from '../client/replies.js';
import { scriptedServer } from '../client/scripted-server.js';
import { Checkout, type Placing } from './checkout.js';
import { held } from './held.js';
import { mount } from './mount.js';

const impatient = { maxAttempts: 2, minDelayMs: 1, maxDelayMs: 2 };

test.each([
  ['without an intent', {}],
  ['with one', { intent: 'checkout:1' }],
])('case 49, %s: five taps in one tick are one operation', async (_, name) => {
  await using server = await scriptedServer();
  const client = shopClient(server.url);
  const seen: string[] = [];
  using page = mount(<Checkout client={client} {...name} onRender={({ state }) => seen.push(state)} />);
  page.tap('place', 5);
  await page.shows(/^settled after 1place/);
  expect([...new Set(seen)]).toEqual(['idle', 'sending', 'settled']);
  expect(server.arrived).toHaveLength(1);
  await client.outbox.close();
});

test('case 49: taps in two components that mean the same are one operation, and both show its outcome', async () => {
  await using server = await scriptedServer();
  const client = shopClient(server.url);
  using first = mount(<Checkout client={client} intent="checkout:1" />);
  using second = mount(<Checkout client={client} intent="checkout:1" />);
  first.tap('place');
  second.tap('place');
  await first.shows(/^settled/);
  await second.shows(/^settled/);
  expect(server.arrived).toHaveLength(1);
  await client.outbox.close();
});

test('with an intent, a tap that comes after the order was placed places no other', async () => {
  await using server = await scriptedServer();
  const client = shopClient(server.url);
  using page = mount(<Checkout client={client} intent="checkout:1" />);
  page.tap('place');
  await page.shows(/^settled after 1place/);
  page.tap('place');
  await page.shows(/^settled after 1place/);
  page.tap('place milk');
  await page.shows(/^settled after 1, and that was another order/);
  expect(server.effects).toHaveLength(1);
  page.render(<Checkout client={client} intent="checkout:2" />);
  expect(page.text()).toMatch(/^idle/);
  page.tap('place');
  await page.shows(/^settled after 1place/);
  page.tap('reset');
  await page.shows(/^idle/);
  page.tap('place');
  await page.shows(/^settled after 1place/);
  expect(new Set(server.effects).size).toBe(3);
  expect(server.arrived).toHaveLength(3);
  await client.outbox.close();
});

test('without an intent, a tap after the outcome is an operation of its own', async () => {
  await using server = await scriptedServer();
  const client = shopClient(server.url);
  using page = mount(<Checkout client={client} />);
  for (const count of [1, 2]) {
    page.tap('place');
    await until(() => server.effects.length === count && page.text().startsWith('settled'));
  }
  expect(new Set(server.effects).size).toBe(2);
  await client.outbox.close();
});

test.each([
  ['its key', { key: undefined }],
  ['its intent', { intent: undefined }],
  ['its key, beside an intent,', { intent: 'checkout:1', key: undefined }],
])(
  'a tap while %s is not known yet makes no operation without it, and the tap after that makes one',
  async (_, name) => {
    await using server = await scriptedServer();
    const client = shopClient(server.url);
    using page = mount(<Checkout client={client} name={name} />);
    expect(page.text()).toMatch(/^idle/);
    page.tap('place');
    await page.shows(/^refused: NotSentError/);
    expect(server.arrived).toEqual([]);
    page.render(<Checkout client={client} name={{ intent: 'checkout:1', key: 'cart-1' }} />);
    expect(page.text()).toMatch(/^idle/);
    page.tap('place');
    await page.shows(/^settled/);
    expect(server.arrived).toMatchObject([{ key: 'cart-1' }]);
    await client.outbox.close();
  },
);

test('a lost answer shows as attempts, under one key, and never as a failure', async () => {
  await using server = await scriptedServer();
  server.next(loseAnswer, afterCommit(html(504)));
  const client = shopClient(server.url);
  const seen: Placing[] = [];
  const told: unknown[] = [];
  using page = mount(
    <Checkout
      client={client}
      intent="checkout:1"
      onRender={(placing) => seen.push(placing)}
      onSettled={(outcome) => told.push(outcome)}
    />,
  );
  page.tap('place');
  await page.shows(/^settled after 3place/);
  expect(new Set(server.arrived.map(({ key }) => key)).size).toBe(1);
  const states = seen.map(({ state }) => state);
  expect(states.filter((state, at) => state !== states[at - 1])).toEqual([
    'idle',
    'sending',
    'waiting',
    'sending',
    'waiting',
    'sending',
    'settled',
  ]);
  expect(seen.at(-1)!.notes.map(({ ended, status }) => [ended, status])).toEqual([
    ['network', undefined],
    ['not-trpc', 504],
    ['replayed', 200],
  ]);
  expect(told).toEqual([{ ok: true, data: { orderId: server.effects[0] } }]);
  await client.outbox.close();
});

test('an outcome that nobody could find out is unknown, is kept, and is found out by resume()', async () => {
  await using server = await scriptedServer();
  server.always(loseAnswer);
  const client = shopClient(server.url, { retry: impatient });
  const seen: string[] = [];
  using page = mount(
    <Checkout client={client} intent="checkout:1" onRender={({ state }) => seen.push(state)} />,
  );
  page.tap('place');
  await page.shows(/^unknown 2/);
  // A second tap asks for the same one; it does not begin another.
  page.tap('place');
  await page.shows(/^unknown 4/);
  server.always(afterCommit(html(502)));
  server.next(({ response }) => {
    response
      .writeHead(200, { 'content-type': 'application/json', 'idempotency-replayed': 'true' })
      .end('{"result":{"data":{"orderId":"o1"}}}');
  });
  page.tap('resume');
  await page.shows(/^settled after 5/);
  expect(server.effects).toHaveLength(1);
  expect(seen).not.toContain('refused');
  await client.outbox.close();
});

test('a component that comes back finds its operation by the intent, in whatever state that is', async () => {
  await using server = await scriptedServer();
  const answer = held();
  server.next(loseAnswer, answer.reply);
  const told: unknown[] = [];
  const client = shopClient(server.url, { onSettled: ({ intent }) => void told.push(intent) });
  const checkout = () => <Checkout client={client} intent="checkout:1" />;
  const first = mount(checkout());
  first.tap('place');
  await answer.asked;
  first.unmount();
  using second = mount(checkout());
  await second.shows(/^sending 2/);
  answer.release();
  await second.shows(/^settled after 2/);
  expect(server.effects).toHaveLength(1);
  // The component heard, so nobody else has to.
  expect(told).toEqual([]);
  await client.outbox.close();
});

test('case 54: what is found out while no component is there goes to the client, not to one that is gone', async () => {
  await using server = await scriptedServer();
  const answer = held();
  server.next(answer.reply);
  const told: unknown[] = [];
  const ofComponent: unknown[] = [];
  const client = shopClient(server.url, { onSettled: ({ intent }) => void told.push(intent) });
  const page = mount(
    <Checkout client={client} intent="checkout:1" onSettled={(outcome) => ofComponent.push(outcome)} />,
  );
  page.tap('place');
  await answer.asked;
  page.unmount();
  answer.release();
  await until(() => told.length > 0);
  expect(told).toEqual(['checkout:1']);
  expect(ofComponent).toEqual([]);
  await client.outbox.close();
});

test('case 54: an order that is tapped and left in the same moment is placed', async () => {
  await using server = await scriptedServer();
  const told: unknown[] = [];
  const client = shopClient(server.url, { onSettled: ({ intent }) => void told.push(intent) });
  const page = mount(<Checkout client={client} intent="checkout:1" />);
  page.tap('place');
  page.unmount();
  await until(() => told.length > 0);
  expect(server.effects).toHaveLength(1);
  await client.outbox.close();
});

test('an outcome that nobody was there to hear waits for the component, where the client has no onSettled', async () => {
  await using server = await scriptedServer();
  const client = shopClient(server.url);
  const page = mount(<Checkout client={client} intent="checkout:1" />);
  page.tap('place');
  page.unmount();
  await until(() => client.outbox.snapshot()[0]?.state === 'settled');
  const told: unknown[] = [];
  using later = mount(
    <Checkout client={client} intent="checkout:1" onSettled={(outcome) => told.push(outcome)} />,
  );
  await later.shows(/^settled after 1/);
  expect(told).toHaveLength(1);
  expect(server.arrived).toHaveLength(1);
  await client.outbox.close();
});

test('a declared error is the outcome, typed; the next tap is a new operation', async () => {
  await using server = await scriptedServer();
  const declared = { name: 'OUT_OF_STOCK', data: { sku: 'tea' } };
  server.next(trpcError(409, { code: 'CONFLICT', declared, facts: { settlement: 'settled' } }));
  const client = shopClient(server.url);
  using page = mount(<Checkout client={client} intent="checkout:1" />);
  page.tap('place');
  await page.shows(/^turned down: OUT_OF_STOCK/);
  page.tap('place');
  await page.shows(/^settled after 1/);
  expect(new Set(server.arrived.map(({ key }) => key)).size).toBe(2);
  await client.outbox.close();
});

test('what certainly did not run is refused: by the server, or because nothing could be kept', async () => {
  await using server = await scriptedServer();
  server.next(trpcError(403, { code: 'FORBIDDEN' }));
  const client = shopClient(server.url);
  using page = mount(<Checkout client={client} />);
  page.tap('place');
  await page.shows(/^refused: TRPCClientError/);
  const refuse = () => Promise.reject(new Error('quota'));
  const full = shopClient(server.url, {
    storage: { ...memoryStorage(), swap: refuse, set: refuse },
  });
  using other = mount(<Checkout client={full} intent="checkout:1" />);
  other.tap('place');
  await other.shows(/^refused: NotSentError/);
  expect(server.arrived).toHaveLength(1);
  expect(server.effects).toEqual([]);
  await client.outbox.close();
  await full.outbox.close();
});

test('a 403 after an attempt that may have run is no refusal: the outcome is not known', async () => {
  await using server = await scriptedServer();
  server.next(loseAnswer, trpcError(403, { code: 'FORBIDDEN' }));
  const client = shopClient(server.url);
  using page = mount(<Checkout client={client} />);
  page.tap('place');
  await page.shows(/^parked: declined/);
  page.tap('resume');
  await page.shows(/^settled after 3/);
  expect(server.effects).toHaveLength(1);
  await client.outbox.close();
});

test('case 47: a sign-in that ran out parks the operation, and resume() goes on with the same key', async () => {
  await using server = await scriptedServer();
  server.next(refusal('SCOPE_MISSING'));
  const client = shopClient(server.url);
  using page = mount(<Checkout client={client} />);
  page.tap('place');
  await page.shows(/^parked: unauthorized/);
  page.tap('resume');
  await page.shows(/^settled after 2/);
  expect(new Set(server.arrived.map(({ key }) => key)).size).toBe(1);
  await client.outbox.close();
});

test('case 48: an edited form under the same intent sends nothing, and is told so beside the first order', async () => {
  await using server = await scriptedServer();
  const answer = held();
  server.next(answer.reply);
  const client = shopClient(server.url);
  using page = mount(<Checkout client={client} intent="checkout:1" />);
  page.tap('place');
  await answer.asked;
  page.tap('place milk');
  await page.shows(/^sending 1, and that was another order/);
  answer.release();
  await page.shows(/^settled after 1, and that was another order/);
  expect(server.arrived).toHaveLength(1);
  await client.outbox.close();
});

test('case 46: the next user sees nothing of an order, pending or placed, and its owner finds it again', async () => {
  await using server = await scriptedServer();
  const answer = held();
  server.next(answer.reply);
  let user = 'ann';
  const client = shopClient(server.url, { owner: () => user });
  const checkout = () => <Checkout client={client} intent="checkout:1" />;
  using page = mount(checkout());
  page.tap('place');
  await answer.asked;
  user = 'ben';
  page.render(checkout());
  expect(page.text()).toMatch(/^idle/);
  answer.release();
  await until(() => server.effects.length > 0);
  user = 'ann';
  page.render(checkout());
  await page.shows(/^settled after 1/);
  user = 'ben';
  page.render(checkout());
  expect(page.text()).toMatch(/^idle/);
  page.tap('place');
  await page.shows(/^settled after 1/);
  expect(new Set(server.effects).size).toBe(2);
  await client.outbox.close();
});

test.each([
  ['released', trpcError(500, { code: 'INTERNAL_SERVER_ERROR', facts: { settlement: 'released' } }), false],
  ['lost', loseAnswer, true],
])(
  'an operation whose attempts were %s says whether it may have run, and why nobody knows more',
  async (_, reply, mayHaveRun) => {
    await using server = await scriptedServer();
    server.next(reply, reply);
    const client = shopClient(server.url, { retry: impatient });
    const seen: Placing[] = [];
    using page = mount(
      <Checkout client={client} intent="checkout:1" onRender={(placing) => seen.push(placing)} />,
    );
    page.tap('place');
    await page.shows(/^unknown 2/);
    await until(() => seen.at(-1)?.state === 'unknown' && (seen.at(-1) as any).error !== undefined);
    expect(seen.at(-1)).toMatchObject({
      mayHaveRun,
      error: { name: 'OutcomeUnknownError', reason: 'attempts-spent', attempts: 2, mayHaveRun },
    });
    page.tap('resume');
    await page.shows(/^settled/);
    expect(seen.at(-1)).not.toHaveProperty('error');
    await client.outbox.close();
  },
);

test('a parked operation says why, with what the server said', async () => {
  await using server = await scriptedServer();
  server.always(trpcError(401, { code: 'UNAUTHORIZED' }));
  const client = shopClient(server.url);
  const seen: Placing[] = [];
  using page = mount(
    <Checkout client={client} intent="checkout:1" onRender={(placing) => seen.push(placing)} />,
  );
  page.tap('place');
  await page.shows(/^parked: unauthorized/);
  await until(() => seen.at(-1)?.state === 'parked' && (seen.at(-1) as any).error !== undefined);
  expect(seen.at(-1)).toMatchObject({
    error: {
      name: 'OperationParkedError',
      reason: 'unauthorized',
      cause: { data: { code: 'UNAUTHORIZED' } },
    },
  });
  await client.outbox.close();
});

test('an outbox that is closed under a component that waits for an unknown outcome leaves the page alone', async () => {
  await using server = await scriptedServer();
  server.next(loseAnswer, loseAnswer);
  const client = shopClient(server.url, { retry: impatient });
  const seen: string[] = [];
  using page = mount(
    <Checkout client={client} intent="checkout:1" onRender={({ state }) => seen.push(state)} />,
  );
  page.tap('place');
  await page.shows(/^unknown/);
  await client.outbox.close();
  await until(() => seen.at(-1) === 'unknown');
  // The page's own timers go on, and it is not rendered over and over.
  await new Promise((resolve) => setTimeout(resolve));
  expect(seen.length).toBeLessThan(30);
});

test('an outcome that comes after somebody else has signed in is not told to the component', async () => {
  await using server = await scriptedServer();
  const answer = held();
  server.next(answer.reply);
  let who = 'ann';
  const client = shopClient(server.url, { owner: () => who });
  const told: unknown[] = [];
  using page = mount(
    <Checkout client={client} intent="checkout:1" onSettled={(outcome) => told.push(outcome)} />,
  );
  page.tap('place');
  await answer.asked;
  who = 'bob';
  answer.release();
  await until(() => server.effects.length === 1);
  await client.outbox.close();
  expect(told).toEqual([]);
  who = 'ann';
  expect(client.outbox.snapshot()).toEqual([]);
});

test('while an app cannot say who is signed in, a component shows nothing of anybody, a tap is refused, and nothing breaks', async () => {
  await using server = await scriptedServer();
  server.next(loseAnswer);
  let signedIn: string | undefined;
  const client = shopClient(server.url, {
    retry: { maxAttempts: 1 },
    owner: () => {
      if (signedIn === undefined) throw new Error('the session is not loaded');
      return signedIn;
    },
  });
  function Pending() {
    return <i>pending: {useOutbox(client.outbox).length}</i>;
  }
  const page = () => (
    <>
      <Pending />
      <Checkout client={client} intent="checkout:1" />
    </>
  );
  using checkout = mount(page());
  await checkout.shows(/^pending: 0idle 0/);
  checkout.tap('place');
  await checkout.shows(/^pending: 0refused: NotSentError/);
  checkout.tap('reset');
  checkout.tap('resume');
  signedIn = 'ann';
  checkout.tap('place');
  await checkout.shows(/^pending: 1unknown 1/);
  signedIn = undefined;
  checkout.render(page());
  await checkout.shows(/^pending: 0idle 0/);
  signedIn = 'ann';
  checkout.render(page());
  await checkout.shows(/^pending: 1unknown 1/);
  checkout.tap('resume');
  await checkout.shows(/^pending: 0settled after 2/);
  expect(server.effects).toHaveLength(1);
  await client.outbox.close();
});
