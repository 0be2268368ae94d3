import { describe, expect, test } from 'vitest';
import { canonicalForm, NoCanonicalFormError } from './canonical-form.js';

describe('what has no form is refused with a typed error that says why', () => {
  const cycle: Record<string, unknown> = {};
  cycle['again'] = { cycle };
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  test.each<[string, unknown, RegExp]>([
    ['a function', { a: () => 1 }, /holds a function/],
    ['a symbol', [Symbol('a')], /holds a symbol/],
    ['a cycle', cycle, /refers to itself/],
    ['a Map that holds itself', ((map) => map.set('a', map))(new Map()), /refers to itself/],
    ['a value nested too deeply', deep, /too deeply: at most 500 levels/],
    ['a Promise', { a: Promise.resolve(1) }, /holds a Promise/],
    ['a Blob', { file: new Blob(['a']) }, /holds a Blob/],
    ['something that shows nothing of itself', new URLSearchParams('a=1'), /holds a URLSearchParams/],
    ['a WeakMap', [new WeakMap()], /holds a WeakMap/],
  ])('%s', (_, input, message) => {
    expect(() => canonicalForm(input)).toThrow(NoCanonicalFormError);
    expect(() => canonicalForm(input)).toThrow(message);
  });

  test.each<[string, unknown]>([
    ['nothing much', 1],
    ['a long text', 'x'.repeat(50_000)],
    ['a long name', { ['x'.repeat(50_000)]: 1 }],
    ['many bytes', new Uint8Array(50_000)],
    ['a long number', 10n ** 10_000n],
  ])(
    'a small input that unfolds without end, as a transformer can make of shared references: %s',
    (_, core) => {
      let unfolding: unknown = [core];
      for (let level = 0; level < 64; level++) unfolding = [unfolding, unfolding];
      expect(() => canonicalForm(unfolding)).toThrow(NoCanonicalFormError);
    },
  );

  test('how deep an input may be is a number, not what the stack happens to hold', () => {
    const nested = (levels: number) => JSON.parse(`${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`);
    expect(canonicalForm(nested(250))).toBe(JSON.stringify(nested(250)));
    expect(() => canonicalForm(nested(251))).toThrow(NoCanonicalFormError);
    // Far down on the stack it is the same number.
    const below = (calls: number, form: () => unknown): unknown => (calls ? below(calls - 1, form) : form());
    expect(below(2_000, () => canonicalForm(nested(250)))).toBe(JSON.stringify(nested(250)));
  });

  test('a large input without shared references is not refused for its size', () => {
    const rows = Array.from({ length: 200_000 }, (_, n) => ({ n, text: 'row' }));
    expect(canonicalForm(rows)).toHaveLength(JSON.stringify(rows).length);
  });
});

describe('odd JSON', () => {
  test('a property called __proto__ counts like any other', () => {
    const form = canonicalForm(JSON.parse('{"__proto__":{"a":1},"b":2}'));
    expect(form).toBe('{"__proto__":{"a":1},"b":2}');
    expect(form).not.toBe(canonicalForm({ b: 2 }));
  });

  test('properties called constructor, toJSON and then count like any other', () => {
    const input = JSON.parse('{"constructor":1,"toJSON":2,"then":3}');
    expect(canonicalForm(input)).toBe('{"constructor":1,"then":3,"toJSON":2}');
  });

  test('lone surrogates differ from each other and from the replacement character', () => {
    const forms = ['\ud800', '\ud801', '\udc00', '\ufffd'].map(canonicalForm);
    expect(new Set(forms).size).toBe(4);
  });

  test('a hole in an array is an undefined item, and not a shorter array', () => {
    // biome-ignore lint/suspicious/noSparseArray: what is tested
    const holes = [, 1];
    expect(canonicalForm(holes)).toBe(canonicalForm([undefined, 1]));
    expect(canonicalForm(holes)).not.toBe(canonicalForm([1]));
  });
});
