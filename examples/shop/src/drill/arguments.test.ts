import { expect, it } from 'vitest';
import { ArgumentError, readArguments, readPort } from './arguments.js';

it('without arguments it is 300 orders by 6 clients with seed 1, embedded, and the shop stays open', () => {
  expect(readArguments([])).toEqual({
    ...{ seed: 1, orders: 300, clients: 6 },
    ...{ services: false, serve: true, help: false },
  });
});

it('reads what is given', () => {
  const args = ['--seed', '7', '--orders=40', '--clients', '3', '--services', '--no-serve', '--help'];
  expect(readArguments(args)).toEqual({
    ...{ seed: 7, orders: 40, clients: 3 },
    ...{ services: true, serve: false, help: true },
  });
});

it.each([
  [['--orders', '0'], '--orders takes a whole number from 1 to 3000, not "0"'],
  [['--orders', '3001'], '--orders takes a whole number from 1 to 3000, not "3001"'],
  [['--orders', '1e2'], '--orders takes a whole number from 1 to 3000, not "1e2"'],
  [['--clients', '2.5'], '--clients takes a whole number from 1 to 64, not "2.5"'],
  [['--clients', '65'], '--clients takes a whole number from 1 to 64, not "65"'],
  [['--seed', 'abc'], '--seed takes a whole number from 0 to 4294967295, not "abc"'],
  [['--seed', ''], '--seed takes a whole number from 0 to 4294967295, not ""'],
  [['--seed=-1'], '--seed takes a whole number from 0 to 4294967295, not "-1"'],
])('%j is refused, and the message says what is taken', (args, message) => {
  expect(() => readArguments(args)).toThrow(new ArgumentError(message));
});

it.each([[['--sead', '1']], [['--orders']], [['300']], [['--services=yes']]])('%j is refused', (args) => {
  expect(() => readArguments(args)).toThrow(ArgumentError);
});

it('PORT names the port, and without it 3000 is only a wish', () => {
  expect(readPort(undefined)).toEqual({ port: 3_000, asked: false });
  expect(readPort('')).toEqual({ port: 3_000, asked: false });
  expect(readPort('8080')).toEqual({ port: 8_080, asked: true });
  for (const text of ['65536', '-1', 'http', '80.5', '0x50'])
    expect(() => readPort(text)).toThrow(
      new ArgumentError(`PORT takes a port number from 0 (any free one) to 65535, not "${text}"`),
    );
});
