import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalForm } from './canonical-form.js';

const MARK = '\u0000';

/** The same value with the properties of every object in another order. */
function shuffled(value: unknown, pick: () => number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, pick));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, child]) => [name, shuffled(child, pick)] as const);
  for (let at = entries.length - 1; at > 0; at--) {
    const other = Math.floor(pick() * (at + 1));
    [entries[at], entries[other]] = [entries[other]!, entries[at]!];
  }
  return asJson(entries);
}

/** Names such as `__proto__` become properties, as they do in JSON.parse. */
function asJson(entries: readonly (readonly [string, unknown])[]): object {
  const into = {};
  for (const [name, value] of entries)
    Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
  return into;
}

/** Paths to everything in a JSON value that holds nothing itself. */
function leaves(value: unknown, at: readonly (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [[...at]];
  const children = Object.entries(value);
  if (children.length === 0) return [[...at]];
  return children.flatMap(([name, child]) => leaves(child, [...at, name]));
}

function withLeaf(value: unknown, path: readonly (string | number)[], leaf: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return leaf;
  if (Array.isArray(value))
    return value.map((item, at) => (String(at) === first ? withLeaf(item, rest, leaf) : item));
  return asJson(
    Object.entries(value as object).map(([name, child]) => [
      name,
      name === first ? withLeaf(child, rest, leaf) : child,
    ]),
  );
}

const json = fc.jsonValue({ maxDepth: 4 });

describe('JSON has the canonical form of RFC 8785', () => {
  test('section 3.2.2: numbers and strings are written as ECMAScript does', () => {
    const input = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`);
    expect(canonicalForm(input)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  test('section 3.2.3: names are sorted by UTF-16 code units, not by code points or locale', () => {
    const input = JSON.parse(String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`);
    expect(Object.values(JSON.parse(canonicalForm(input)))).toEqual([
      'One', // integer-like names come first in JavaScript, and here they are first in the text as well
      'Carriage Return',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });
});

describe('what means the same has one form', () => {
  test('properties in another order, at any depth', () => {
    fc.assert(
      fc.property(json, fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), (value, dice) => {
        const pick = () => dice.next().value as number;
        expect(canonicalForm(shuffled(value, pick))).toBe(canonicalForm(value));
      }),
    );
  });

  test('a property that is undefined, and one that is absent', () => {
    expect(canonicalForm({ a: 1, b: undefined })).toBe(canonicalForm({ a: 1 }));
    expect(canonicalForm({ a: { b: undefined } })).toBe(canonicalForm({ a: {} }));
  });

  test('entries of a Map and members of a Set in another order', () => {
    const map = (...entries: [unknown, unknown][]) => canonicalForm(new Map(entries));
    expect(map(['a', 1], ['b', 2])).toBe(map(['b', 2], ['a', 1]));
    expect(map([{ x: 1, y: 2 }, 1])).toBe(map([{ y: 2, x: 1 }, 1]));
    expect(canonicalForm(new Set([1, '1', null]))).toBe(canonicalForm(new Set([null, '1', 1])));
  });

  test('0 and -0, as RFC 8785 writes both', () => {
    expect(canonicalForm(-0)).toBe(canonicalForm(0));
  });

  test('an object without a prototype, and a plain one', () => {
    expect(canonicalForm(Object.assign(Object.create(null), { a: 1 }))).toBe(canonicalForm({ a: 1 }));
  });

  test('one object met twice is no cycle', () => {
    const shared = { a: 1 };
    expect(canonicalForm([shared, shared])).toBe(canonicalForm([{ a: 1 }, { a: 1 }]));
  });

  test('a proxy, and what it stands for', () => {
    expect(canonicalForm(new Proxy({ a: [1] }, {}))).toBe(canonicalForm({ a: [1] }));
  });
});

describe('what differs has another form', () => {
  test('any leaf of any JSON', () => {
    fc.assert(
      fc.property(json, fc.nat(), fc.anything({ maxDepth: 0 }), (value, nth, other) => {
        const all = leaves(value);
        const path = all[nth % all.length]!;
        const before = path.reduce<unknown>(
          (at, name) => (at as Record<string | number, unknown>)[name],
          value,
        );
        const leaf = JSON.parse(JSON.stringify(other ?? null) ?? 'null');
        fc.pre(JSON.stringify(leaf) !== JSON.stringify(before));
        expect(canonicalForm(withLeaf(value, path, leaf))).not.toBe(canonicalForm(value));
      }),
      { numRuns: 500 },
    );
  });

  test('a name beside its value, whatever the name', () => {
    fc.assert(
      fc.property(json, fc.string(), fc.string(), (value, one, other) => {
        fc.pre(one !== other);
        expect(canonicalForm(asJson([[one, value]]))).not.toBe(canonicalForm(asJson([[other, value]])));
      }),
    );
  });

  test('every kind of value that looks like another', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    const values: unknown[] = [
      ...[undefined, null, false, true, 0, 1, '', '0', '1', 'null', 'true', 'undefined'],
      ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 'NaN', 'Infinity', '-Infinity'],
      ...[0n, 1n, -1n, 2n ** 80n],
      ...[new Date(0), new Date(1), new Date(-1), new Date(Number.NaN), '1970-01-01T00:00:00.000Z'],
      ...[[], {}, [[]], [{}], [null], [undefined], [undefined, undefined], [1, 2], [2, 1], [[1], 2]],
      ...[new Map(), new Map([[1, 2]]), new Map([['1', 2]]), new Map([[{ 1: 2 }, undefined]])],
      ...[new Set(), new Set([1]), new Set([[1, 2]]), new Set([undefined]), { 1: 2 }, [[1, 2]]],
      ...[/a/, /a/g, '/a/', new URL('https://a.example/'), 'https://a.example/'],
      ...[bytes, bytes.buffer, new Uint8Array(3), new Int8Array(bytes), new Float64Array(1), 'AQID'],
      ...[bytes.subarray(1), new DataView(bytes.buffer, 1)],
      ...[new Error('a'), new TypeError('a'), new Error('b'), { name: 'Error', message: 'a' }],
      ...[{ a: null }, { a: undefined, b: 1 }, { a: '' }, { a: 0 }, { a: {} }, { a: [] }],
    ];
    const forms = values.map(canonicalForm);
    expect(new Set(forms).size).toBe(values.length);
  });

  test('a part of a buffer is its own bytes and no others', () => {
    const { buffer } = Uint8Array.of(9, 1, 2, 9);
    expect(canonicalForm(new Uint8Array(buffer, 1, 2))).toBe(canonicalForm(Uint8Array.of(1, 2)));
  });

  test('errors with another cause or further properties', () => {
    const forms = [
      new Error('a'),
      new Error('a', { cause: 1 }),
      new Error('a', { cause: 2 }),
      Object.assign(new Error('a'), { cents: 1 }),
      Object.assign(new Error('a'), { cents: 2 }),
    ].map(canonicalForm);
    expect(new Set(forms).size).toBe(5);
  });

  test('values that say what they are through toJSON', () => {
    class Money {
      readonly #cents: number;
      constructor(cents: number) {
        this.#cents = cents;
      }
      toJSON() {
        return { cents: this.#cents };
      }
    }
    expect(canonicalForm(new Money(1))).toBe(canonicalForm(new Money(1)));
    expect(canonicalForm({ price: new Money(1) })).not.toBe(canonicalForm({ price: new Money(2) }));
    expect(canonicalForm(new Money(1))).not.toBe(canonicalForm({ cents: 1 }));
  });
});

describe('no JSON can pass for something that JSON has no word for', () => {
  const special: [string, unknown][] = [
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['bigint', 1n],
    ['date', new Date(5)],
    ['date 0', new Date(0)],
    ['map', new Map([['a', 1]])],
    ['set', new Set([1])],
    ['bytes', Uint8Array.of(1)],
    ['URL', new URL('https://a.example/')],
    ['RegExp', /a/],
    ['error', new Error('a')],
  ];

  test.each(special)('what the form of %s says, sent as JSON, is something else', (_, value) => {
    // An undefined property is an absent one, so `undefined` has no form there.
    const places = value === undefined ? [value, [value]] : [value, [value], { a: value }];
    for (const place of places) {
      const form = canonicalForm(place);
      const imitation: unknown = JSON.parse(form);
      expect(canonicalForm(imitation)).not.toBe(form);
      // Nor can it be escaped by hand.
      const once = JSON.parse(form.replaceAll(String.raw`"\u0000`, String.raw`"\u0000\u0000`));
      expect(canonicalForm(once)).not.toBe(form);
    }
  });

  test('names that begin with the mark stay apart from each other and from the marks', () => {
    const name = fc
      .tuple(fc.nat({ max: 3 }), fc.constantFrom('undefined', 'date', 'x', ''))
      .map(([marks, rest]) => MARK.repeat(marks) + rest);
    fc.assert(
      fc.property(name, name, fc.constantFrom(true, 1, null, undefined), (one, other, value) => {
        const forms = [{ [one]: value }, { [other]: value }, value].map(canonicalForm);
        const distinct = one === other || value === undefined ? 2 : 3;
        expect(new Set(forms).size).toBe(distinct);
      }),
    );
  });
});
