import { expect, it } from 'vitest';
import { CannotBeginError } from '../cannot-begin-error.js';
import { readArguments, readEnvironment } from './arguments.js';

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
  expect(() => readArguments(args)).toThrow(new CannotBeginError(message));
});

it.each([[['--sead', '1']], [['--orders']], [['300']], [['--services=yes']]])('%j is refused', (args) => {
  expect(() => readArguments(args)).toThrow(CannotBeginError);
});

it('PORT names the port, and without it 3000 is only a wish', () => {
  expect(readEnvironment({})).toMatchObject({ port: 3_000, portAsked: false });
  expect(readEnvironment({ PORT: '' })).toMatchObject({ port: 3_000, portAsked: false });
  expect(readEnvironment({ PORT: '8080' })).toMatchObject({ port: 8_080, portAsked: true });
  for (const port of ['65536', '-1', 'http', '80.5', '0x50'])
    expect(() => readEnvironment({ PORT: port })).toThrow(
      new CannotBeginError(`PORT takes a port number from 0 (any free one) to 65535, not "${port}"`),
    );
});

it('DATABASE_URL and REDIS_URL are URLs of what they are for, and a wrong one is not repeated', () => {
  const urls = { DATABASE_URL: 'postgres://a:b@c/d', REDIS_URL: 'rediss://e:6380' };
  expect(readEnvironment(urls)).toMatchObject({ databaseUrl: urls.DATABASE_URL, redisUrl: urls.REDIS_URL });
  expect(readEnvironment({ DATABASE_URL: '' })).toMatchObject({
    databaseUrl: undefined,
    redisUrl: undefined,
  });
  for (const DATABASE_URL of ['secret', 'mysql://a:secret@b', urls.REDIS_URL])
    expect(() => readEnvironment({ DATABASE_URL })).toThrow(
      new CannotBeginError('DATABASE_URL takes a URL that begins with postgres:// or postgresql://'),
    );
  expect(() => readEnvironment({ REDIS_URL: 'localhost:6379' })).toThrow(
    new CannotBeginError('REDIS_URL takes a URL that begins with redis:// or rediss://'),
  );
});
