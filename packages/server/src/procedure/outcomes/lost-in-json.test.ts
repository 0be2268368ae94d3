import type { DeclaredErrors } from '@trpc-once/contract';
import superjson from 'superjson';
import { describe, expect, test } from 'vitest';
import { DeclaredError } from '../errors/declared-error.js';
import { outcomeCodec } from './outcome-codec.js';

const plain = outcomeCodec({ maxLength: 10_000, errors: {} });
const withSuperjson = outcomeCodec({ maxLength: 10_000, errors: {}, transformer: superjson });

class Money {
  readonly #cents = 5;
  get cents(): number {
    return this.#cents;
  }
}
class Order {
  readonly id = 1;
  readonly lines = new Map([['tea', 2]]);
}

describe('an output that JSON would write as {} fails, since that is not what the handler returned', () => {
  test.each<[string, string, unknown]>([
    ['a Map', 'Map', new Map([['a', 1]])],
    // Or it would be a bug that waits for the first order with a line.
    ['an empty Map', 'Map', { lines: new Map() }],
    ['a Set in a list', 'Set', { tags: [new Set(['a'])] }],
    ['a RegExp far inside', 'RegExp', { a: [{ b: { c: /x/ } }] }],
    ['an Error', 'Error', { why: new Error('no') }],
    ['an ArrayBuffer', 'ArrayBuffer', new ArrayBuffer(8)],
    ['a URLSearchParams', 'URLSearchParams', { query: new URLSearchParams('a=1') }],
    ['a generator', 'Generator', { rows: (function* () {})() }],
    ['a Map in an instance', 'Map', new Order()],
    ['a Map in an instance inside', 'Map', { order: new Order() }],
    ['a Map that is in it twice', 'Map', ((map) => [{}, map, map])(new Map())],
  ])('%s', (_, kind, output) => {
    expect(() => plain.completed(output)).toThrow(
      `nothing was committed: the output holds a value that JSON writes as {} (${kind}): return plain objects and lists, or give`,
    );
  });

  test('so does the data of a declared error, and what a transformer leaves for JSON to write', () => {
    const errors: DeclaredErrors = { SOLD_OUT: { code: 'CONFLICT' } };
    const codec = outcomeCodec({ maxLength: 1_000, errors });
    expect(() => codec.failed(new DeclaredError(errors, 'SOLD_OUT', new Set()))).toThrow('(Set)');
    const half = { serialize: () => new Map(), deserialize: (value: unknown) => value };
    const transformed = outcomeCodec({ maxLength: 1_000, errors, transformer: half });
    expect(() => transformed.completed(1)).toThrow('(Map)');
  });

  test('and settles with a transformer that has words for it', () => {
    const output = { lines: new Map([['tea', 2]]), tags: new Set(['a']), none: {}, like: /x/ };
    expect(withSuperjson.read(withSuperjson.completed(output))).toEqual({ output });
  });
});

test.each<[string, unknown, string]>([
  ['a Date', { at: new Date(0), none: {} }, '{"at":"1970-01-01T00:00:00.000Z","none":{}}'],
  ['an empty object', [{}, { a: {} }, Object.create(null)], '[{},{"a":{}},{}]'],
  ['an object of undefined', { a: { b: undefined } }, '{"a":{}}'],
  ['a function', { a: { b() {} } }, '{"a":{}}'],
  ['an instance of a class of the app', { price: new Money() }, '{"price":{}}'],
  ['an instance that says itself what it is', { none: {}, by: { toJSON: () => [] } }, '{"none":{},"by":[]}'],
  ['an empty list', { none: {}, list: [] }, '{"none":{},"list":[]}'],
  ['a boxed text', { none: {}, text: Object('') }, '{"none":{},"text":""}'],
  ['an empty typed array, as JSON has it', { bytes: new Uint8Array() }, '{"bytes":{}}'],
  ['braces in a text', { code: 'const a = {}' }, '{"code":"const a = {}"}'],
])('as with tRPC itself, %s settles', (_, output, body) => {
  expect(plain.completed(output).body).toBe(body);
});
