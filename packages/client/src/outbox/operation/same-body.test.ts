import fc from 'fast-check';
import superjson, { SuperJSON } from 'superjson';
import { describe, expect, test } from 'vitest';
import { wireBody, wireTransformer } from '../../attempts/transformer.js';
import { sameBody } from './same-body.js';

const plain = wireTransformer(undefined);

function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, turned(inner)]);
  return Object.fromEntries(entries.reverse());
}

describe('without a transformer', () => {
  test.each([
    ['{"a":1,"b":{"c":[1,2],"d":null}}', '{"b":{"d":null,"c":[1,2]},"a":1}'],
    ['[{"a":1,"b":2}]', '[{"b":2,"a":1}]'],
    ['{ "a" : 1 }', '{"a":1}'],
    ['"x"', '"x"'],
  ])('%s and %s say the same', (one, other) => {
    expect(sameBody(one, other, plain)).toBe(true);
  });

  test('no body is no body', () => {
    expect(sameBody(null, null, plain)).toBe(true);
    expect(sameBody(null, 'null', plain)).toBe(false);
    expect(sameBody('{}', null, plain)).toBe(false);
  });

  test.each([
    ['{"a":1}', '{"a":2}'],
    ['{"a":null}', '{}'],
    ['{"a":1}', '{"a":1,"b":1}'],
    ['{"a":1}', '{"b":1}'],
    ['[1,2]', '[2,1]'],
    ['[]', '{}'],
    ['{"0":1}', '[1]'],
    ['1', '"1"'],
    ['{"a":{"b":1}}', '{"a":{"b":2}}'],
    ['{"toString":1}', '{"valueOf":1}'],
    ['{"__proto__":1}', '{"a":1}'],
    ['{"json":1,"meta":{"referentialEqualities":{"a":["b"]}}}', '{"json":1}'],
    ['not JSON', '{}'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, `${'['.repeat(99_999)}${']'.repeat(99_999)}`],
  ])('%.60s and %.60s differ', (one, other) => {
    expect(sameBody(one, other, plain)).toBe(false);
    expect(sameBody(other, one, plain)).toBe(false);
  });

  test('any value says the same as itself with its keys turned round', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(sameBody(JSON.stringify(value), JSON.stringify(turned(value)), plain)).toBe(true);
      }),
    );
  });
});

const day = () => new Date('2025-07-02T00:00:00Z');
const line = () => ({ sku: 'tea', at: day(), seats: 2n });

describe.each([
  ['superjson', superjson],
  ['a superjson that writes what is used twice only once', new SuperJSON({ dedupe: true })],
])('with %s', (_, transformer) => {
  const same = (one: unknown, other: unknown) =>
    sameBody(wireBody(one, transformer), wireBody(other, transformer), transformer);
  const once = day();
  const shared = line();

  test.each<[string, unknown, unknown]>([
    ['a Date used twice, and two equal ones', { from: once, to: once }, { from: day(), to: day() }],
    ['an object used twice, and two equal ones', [shared, shared], [line(), line()]],
    ['an object that a Map has too', { a: shared, all: [shared] }, { a: line(), all: [line()] }],
    ['keys in another order, one used twice', { a: shared, b: shared, c: 1 }, { c: 1, b: shared, a: shared }],
    ['three, of which other two are one', [shared, shared, line()], [line(), shared, shared]],
  ])('%s say the same', (_, one, other) => {
    expect([same(one, other), same(other, one)]).toEqual([true, true]);
  });

  const itself: { self?: unknown; n: number } = { n: 1 };
  itself.self = itself;
  const twice = { from: once, to: once };
  test.each<[string, unknown, unknown]>([
    ['another Date in the second place', twice, { from: day(), to: new Date(0) }],
    ['nothing in the second place', twice, { from: day(), to: null }],
    ['nothing at all in the second place', twice, { from: day() }],
    ['undefined in the second place', twice, { from: day(), to: undefined }],
    ['the text of a Date', twice, { from: day(), to: day().toISOString() }],
    ['a number for a bigint', [shared, shared], [line(), { ...line(), seats: 2 }]],
    ['a Set for a list', { a: [shared], b: shared }, { a: new Set([line()]), b: line() }],
    ['another member of a Set', [shared, new Set([shared])], [line(), new Set([{ ...line(), sku: 'milk' }])]],
    ['what refers to itself, and what does not', itself, { n: 1, self: { n: 1, self: null } }],
    ['what refers to itself one turn later', itself, { n: 1, self: itself }],
  ])('%s is another input', (_, one, other) => {
    expect([same(one, other), same(other, one)]).toEqual([false, false]);
  });

  test('a body from before the app had this transformer says what its text says', () => {
    const before = ['{"sku":"tea"}', '{"sku":"milk"}', '{"sku":"tea","n":1}', '{"n":1,"sku":"tea"}'] as const;
    expect(sameBody(before[0], before[1], transformer)).toBe(false);
    expect(sameBody(before[2], before[3], transformer)).toBe(true);
    for (const body of before)
      expect(sameBody(body, wireBody(undefined, transformer), transformer)).toBe(false);
  });

  const leaf = fc.oneof(
    fc.constantFrom(once, shared),
    fc.date({ noInvalidDate: true }),
    fc.bigInt(),
    fc.integer(),
  );
  const key = fc.constantFrom('a', 'b', 'c.d', '0', 'toString');
  const input = fc.object({ key, values: [leaf, fc.string(), fc.constant(null)], maxDepth: 2 });
  const apart = (value: unknown) =>
    transformer.deserialize(JSON.parse(JSON.stringify(transformer.serialize(value))));

  test('any input says the same as itself with its keys turned round and nothing used twice', () => {
    fc.assert(
      fc.property(input, (value) => {
        const alone = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, apart(inner)]));
        expect(same(value, turned(alone))).toBe(true);
      }),
    );
  });

  test('no input says the same as one that another leaf is in', () => {
    fc.assert(
      fc.property(input, leaf, fc.integer(), (value, one, n) => {
        expect(same({ value, x: one, y: one }, { y: one, x: apart(one), value, z: n })).toBe(false);
        expect(same({ value, x: one, y: one }, { value, x: one, y: [apart(one)] })).toBe(false);
      }),
    );
  });
});
