import { expect, test } from 'vitest';
import { Story } from '../story/story.js';
import type { Case } from './case.js';
import { check } from './check.js';

const cart = 'b3a1f0de-0000-4000-8000-000000000001';
const body = (of = cart, quantity = 1) =>
  JSON.stringify({ lines: [{ sku: 'tea-green', quantity }], reference: of });

interface Good extends Case {
  readonly story: Story;
  readonly ledger: {
    orders: Case['ledger']['orders'][number][];
    records: Case['ledger']['records'][number][];
  };
}

/** Ada tapped, the answer was lost, the second attempt brought it, and the page said so. */
function good(): Good {
  const story = new Story();
  const seen = { visitor: 'V1', tab: 1 };
  story.taps.push({ at: 1, visitor: 'V1', cart, account: 'ada', signedIn: 'ada' });
  const sent = { visitor: 'V1', key: cart, authorization: 'Bearer ada', body: body(), network: '' };
  story.arrivals.push({ ...sent, at: 2 });
  story.arrivals.push({ ...sent, at: 3, answer: { at: 4, status: 200, settlement: 'replayed' } });
  story.sights.push(
    { ...seen, at: 2, kind: 'operation', key: cart, state: 'sending', badge: 'sending' },
    {
      ...seen,
      at: 3,
      kind: 'told',
      cart,
      state: 'waiting',
      of: undefined,
      text: 'No outcome yet.The order is kept on this device',
    },
    { ...seen, at: 5, kind: 'operation', key: cart, state: 'delivered', badge: 'settled: placed' },
    {
      ...seen,
      at: 5,
      kind: 'told',
      cart: 'new',
      state: 'idle',
      of: cart,
      text: 'Order placed: €7.49, charged once.',
    },
  );
  const orders = [{ cart, line: 1, account: 'ada', cents: 749, at: 3, charges: 1 }];
  return { story, ledger: { orders, records: [{ key: cart, status: 'COMPLETED' }] } };
}

const told = {
  at: 6,
  visitor: 'V1',
  tab: 1,
  kind: 'told',
  cart: 'new',
  state: 'idle',
  of: cart as string | undefined,
} as const;
const soldOut = 'Not placed: only 2 left of Cup from a closed pottery. Nothing was charged.';

test('an order whose answer was lost and found again is as it must be', () => {
  expect(check(good())).toEqual([]);
});

test.each<[string, string, (found: Good) => void]>([
  ['a cart is ordered twice', 'second order', ({ ledger }) => ledger.orders.push(ledger.orders[0]!)],
  [
    'a line is charged twice',
    'not charged once',
    ({ ledger }) => {
      ledger.orders[0] = { ...ledger.orders[0]!, charges: 2 };
    },
  ],
  [
    'a cart is sent with a second key',
    'second key',
    ({ story }) => void story.arrivals.push({ ...story.arrivals[0]!, key: 'another' }),
  ],
  [
    'the bytes change under way',
    'other bytes',
    ({ story }) => void story.arrivals.splice(1, 0, { ...story.arrivals[0]!, body: body(cart, 2) }),
  ],
  [
    'an attempt carries another account’s credentials',
    'other credentials',
    ({ story }) => {
      story.arrivals[1] = { ...story.arrivals[1]!, authorization: 'Bearer ben' };
    },
  ],
  [
    'a tab that had not heard of another sign-in orders',
    'nobody tapped',
    ({ story }) => {
      story.taps[0] = { ...story.taps[0]!, signedIn: 'ben' };
    },
  ],
  [
    'what was placed is called turned down',
    'told wrongly',
    ({ story }) => void story.sights.push({ ...told, text: soldOut }),
  ],
  [
    'an outcome is told that nobody recorded',
    'told wrongly',
    (found) => {
      found.ledger.orders.pop();
      found.ledger.records.pop();
      found.story.sights.splice(2);
      found.story.sights.push({ ...told, text: soldOut });
    },
  ],
  [
    'another amount is told',
    'told wrongly',
    ({ story }) => void story.sights.push({ ...told, text: 'Order placed: €1,007.49, charged once.' }),
  ],
  [
    'what had been sent is called not sent',
    'told wrongly',
    ({ story }) =>
      void story.sights.push({
        ...told,
        text: 'Not placed: Nothing was sent of orders.checkOut (storage): full',
      }),
  ],
  [
    'a page says what nobody wrote',
    'unknown words',
    ({ story }) => void story.sights.push({ ...told, text: 'Your order failed.' }),
  ],
  [
    'an order that was kept comes to nothing',
    'lost',
    ({ story, ledger }) => {
      ledger.orders.pop();
      ledger.records.pop();
      story.sights.splice(2);
    },
  ],
  [
    'an outbox does not come to its end',
    'stranded',
    ({ story }) => void story.left.push({ visitor: 'V1', what: 'one' }),
  ],
  [
    'something hangs',
    'hung',
    ({ story }) => void story.hung.push({ visitor: 'V1', what: 'order has not ended' }),
  ],
  ['a page throws', 'page error', ({ story }) => void story.complaints.push({ visitor: 'V1', what: 'oh' })],
])('it is found when %s', (_, rule, breakIt) => {
  const found = good();
  breakIt(found);
  expect(check(found).map((violation) => violation.rule)).toContain(rule);
});

test('where something hangs, what is still under way is not called lost', () => {
  const found = good();
  found.ledger.orders.pop();
  found.ledger.records.pop();
  found.story.sights.splice(2);
  found.story.hung.push({ visitor: 'V1', what: 'order has not ended' });
  expect(check(found).map(({ rule, what }) => `${rule}: ${what}`)).toEqual(['hung: V1: order has not ended']);
});

test('what its owner had removed may come to nothing, but not to two', () => {
  const found = good();
  found.story.sights.splice(2);
  found.ledger.orders.pop();
  found.ledger.records.pop();
  found.story.forgotten.add(cart);
  expect(check(found)).toEqual([]);
});

test('a cart that came back from before it was ordered may be sent otherwise, once its outcome is known', () => {
  const found = good();
  found.story.arrivals.push({ ...found.story.arrivals[1]!, at: 7, body: body(cart, 2) });
  expect(check(found)).toEqual([]);
});
