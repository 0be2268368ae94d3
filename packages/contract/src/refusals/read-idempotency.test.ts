import { TRPCClientError } from '@trpc/client';
import { TRPCError } from '@trpc/server';
import fc from 'fast-check';
import superjson from 'superjson';
import { describe, expect, test } from 'vitest';
import { settlements } from './idempotency-facts.js';
import { readIdempotency, readRefusal } from './read-idempotency.js';
import { refusals } from './refusals.js';

const facts = { key: 'k1', retryAfterMs: 250, refusal: 'IN_PROGRESS' } as const;

/** A tRPC error shape, as a server sends it. */
const shape = (idempotency: unknown) => ({
  message: 'wait',
  code: -32009,
  data: { code: 'CONFLICT', httpStatus: 409, path: 'orders.place', idempotency },
});

/** Everything that an error of a call travels in. */
const carriers: Record<string, (idempotency: unknown) => unknown> = {
  'a TRPCClientError': (it) => TRPCClientError.from({ error: shape(it) }),
  'a TRPCClientError that knows its shape only': (it) =>
    Object.assign(new Error('wait'), { shape: shape(it) }),
  'a TRPCError, by its cause': (it) =>
    new TRPCError({ code: 'CONFLICT', cause: Object.assign(new Error('refused'), { idempotency: it }) }),
  'an error of our own': (it) => Object.assign(new Error('refused'), { idempotency: it }),
  'an error shape': (it) => shape(it),
  'the JSON of an answer': (it) => ({ error: shape(it) }),
  'the JSON of an answer, parsed from text': (it) => JSON.parse(JSON.stringify({ error: shape(it) })),
  'the JSON of an answer in a superjson envelope': (it) => ({ error: superjson.serialize(shape(it)) }),
  'a function that carries it': (it) => Object.assign(() => {}, { data: { idempotency: it } }),
};

describe.each(Object.entries(carriers))('in %s', (_name, carry) => {
  test('a refusal is read, with its key and its wait', () => {
    expect(readIdempotency(carry(facts))).toEqual(facts);
    expect(readRefusal(carry(facts))).toBe('IN_PROGRESS');
  });

  test.each(Object.keys(refusals))('%s is read', (refusal) => {
    expect(readIdempotency(carry({ refusal }))).toEqual({ refusal });
  });

  test.each(settlements)('a settlement is read: %s', (settlement) => {
    expect(readIdempotency(carry({ key: 'k1', settlement }))).toEqual({ key: 'k1', settlement });
    expect(readRefusal(carry({ settlement }))).toBeUndefined();
  });

  test.each([
    ['a refusal of a newer server', { refusal: 'TOO_LATE' }],
    ['a settlement of a newer server', { settlement: 'archived' }],
    ['a refusal in other letters', { refusal: 'in_progress' }],
    ['an inherited name', { refusal: 'toString' }],
    ['both at once', { refusal: 'IN_PROGRESS', settlement: 'settled' }],
    ['a refusal of a newer server beside a settlement', { refusal: 'TOO_LATE', settlement: 'settled' }],
    ['neither', { key: 'k1' }],
    ['a text', 'IN_PROGRESS'],
    ['a list', ['IN_PROGRESS']],
    ['null', null],
  ])('nothing is read from %s', (_what, it) => {
    expect(readIdempotency(carry(it))).toBeUndefined();
  });

  test.each([
    ['no number', '250'],
    ['a negative one', -1],
    ['one that is none', Number.NaN],
    ['an endless one, at which timers fire at once', Number.POSITIVE_INFINITY],
  ])('a wait that is %s is left out', (_what, retryAfterMs) => {
    expect(readIdempotency(carry({ refusal: 'IN_PROGRESS', retryAfterMs }))).toEqual({
      refusal: 'IN_PROGRESS',
    });
  });

  test('a wait of zero is a wait', () => {
    const now = { refusal: 'IN_PROGRESS', retryAfterMs: 0 };
    expect(readIdempotency(carry(now))).toEqual(now);
  });

  test('a key that is no text is left out', () => {
    expect(readIdempotency(carry({ refusal: 'IN_PROGRESS', key: 7 }))).toEqual({ refusal: 'IN_PROGRESS' });
  });
});

test('a business CONFLICT is never taken for a call in progress', () => {
  const { idempotency: _none, ...data } = shape(undefined).data;
  const conflict = TRPCClientError.from({ error: { ...shape(undefined), data } });
  expect(readIdempotency(conflict)).toBeUndefined();
  expect(readIdempotency(new TRPCError({ code: 'CONFLICT', message: 'IN_PROGRESS' }))).toBeUndefined();
});

describe('junk is survived', () => {
  test.each([undefined, null, 0, '', 'error', Number.NaN, true, 1n, Symbol('s'), [], {}, new Date()])(
    '%o',
    (junk) => {
      expect(readIdempotency(junk)).toBeUndefined();
    },
  );

  test('anything at all, at any depth', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, maxDepth: 5 }), (junk) => {
        expect(readIdempotency(junk)).toBeUndefined();
        expect(readIdempotency({ data: junk, error: junk, shape: junk, cause: junk })).toBeUndefined();
      }),
    );
  });

  test('getters that throw: what can be read elsewhere still is', () => {
    const hostile = {
      get data(): never {
        throw new Error('no');
      },
      cause: { idempotency: facts },
    };
    expect(readIdempotency(hostile)).toEqual(facts);
    const within = {
      data: {
        idempotency: {
          refusal: 'IN_PROGRESS',
          get key(): never {
            throw new Error('no');
          },
        },
      },
    };
    expect(readIdempotency(within)).toEqual({ refusal: 'IN_PROGRESS' });
  });

  test('a proxy that throws at every touch, and a revoked one', () => {
    const touchy = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no');
        },
      },
    );
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(readIdempotency(touchy)).toBeUndefined();
    expect(readIdempotency(proxy)).toBeUndefined();
  });

  test('an error that is its own cause', () => {
    const circular: Record<string, unknown> = {};
    Object.assign(circular, { cause: circular, error: circular, data: circular, shape: circular });
    expect(readIdempotency(circular)).toBeUndefined();
  });
});
