import { defineContract, procedure, proceduresOf } from '@trpc-once/contract';
import { expect, test } from 'vitest';
import { pairHandlers } from './handlers.js';

const contract = defineContract({
  orders: { place: procedure.mutation(), items: { list: procedure.query() } },
  ping: procedure.query(),
});
const procedures = proceduresOf(contract);
const place = () => 'place';
const list = () => 'list';
const ping = () => 'ping';

test('each procedure is paired with the handler at its place', () => {
  const pairs = pairHandlers(procedures, { orders: { place, items: { list } }, ping });
  expect([...pairs].map(([{ path }, handler]) => [path, handler({})])).toEqual([
    ['orders.place', 'place'],
    ['orders.items.list', 'list'],
    ['ping', 'ping'],
  ]);
});

test('every missing and every unknown handler is named at once, by its path', () => {
  expect(() => pairHandlers(procedures, { orders: { place, cancel: place }, pong: ping })).toThrow(
    new TypeError(
      'no handler for orders.items.list, ping; the contract has no orders.cancel, pong (did you mean ping?)',
    ),
  );
});

test.each<[string, object, string]>([
  ['none at all', {}, 'no handler for orders.place, orders.items.list, ping'],
  [
    'a group where a handler belongs',
    { orders: { place: { place }, items: { list } }, ping },
    'orders.place.place',
  ],
  ['a handler where a group belongs', { orders: place, ping }, 'the contract has no orders'],
  ['what a prototype holds', Object.create({ orders: { place, items: { list } }, ping }), 'no handler for'],
])('%s is refused', (_, handlers, message) => {
  expect(() => pairHandlers(procedures, handlers)).toThrow(message);
});

test.each([undefined, null, 'text', 5, true])(
  'something that is no function is no handler: %j',
  (nothing) => {
    const handlers = { orders: { place: nothing, items: { list } }, ping };
    expect(() => pairHandlers(procedures, handlers)).toThrow('no handler for orders.place');
  },
);
