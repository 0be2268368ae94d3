import superjson from 'superjson';
import { expect, test } from 'vitest';
import { wireBody, wireTransformer } from './transformer.js';

const plain = wireTransformer(undefined);

class Money {
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
}

test.each([
  ['a form', new FormData()],
  ['a file', new Blob(['x'])],
  ['bytes', new Uint8Array([1, 2])],
  ['a Map', new Map([['a', 1]])],
  ['a Set', new Set([1])],
  ['a promise', Promise.resolve(1)],
  ['a function', () => 1],
  ['a symbol', Symbol('s')],
  ['a Map further down', { order: { lines: [new Map()] } }],
])('%s is refused: JSON would send an empty object for it', (_, input) => {
  expect(() => wireBody(input, plain)).toThrow(/JSON cannot hold a \w+/);
});

test.each([
  [undefined, null],
  [null, 'null'],
  [{}, '{}'],
  [Object.create(null), '{}'],
  [{ at: new Date(0), none: undefined, list: [] }, '{"at":"1970-01-01T00:00:00.000Z","list":[]}'],
  [new Money(5), '{"cents":5}'],
])('%o is what JSON makes of it', (input, body) => {
  expect(wireBody(input, plain)).toBe(body);
});

test('what a transformer can write may be in there', () => {
  const body = wireBody({ a: new Map([[1, new Set([2n])]]) }, wireTransformer(superjson));
  expect(superjson.deserialize(JSON.parse(body as string))).toEqual({ a: new Map([[1, new Set([2n])]]) });
});
