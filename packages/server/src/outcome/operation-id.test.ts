import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeScope, MAX_SCOPE_BYTES } from './operation-id.js';

/** Strings of all kinds: quotes, commas, brackets, NUL, and halves of surrogate pairs. */
const part = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom('"', ',', '[', ']', '\\', '\u0000', '\ud800', '\udc00', 'a'),
    maxLength: 8,
  }),
);

test('no two principals share a scope', () => {
  const principal = fc.oneof(part, fc.array(part, { maxLength: 4 }));
  fc.assert(
    fc.property(principal, principal, (one, other) => {
      const parts = (of: string | string[]) => (typeof of === 'string' ? [of] : of);
      const same =
        parts(one).length === parts(other).length &&
        parts(one).every((each, at) => each === parts(other)[at]);
      expect(encodeScope(one) === encodeScope(other)).toBe(same);
    }),
    { numRuns: 2_000 },
  );
});

test('a scope is text that Postgres can hold and UTF-8 can carry, whatever the principal is', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), (principal) => {
      const scope = encodeScope(principal);
      expect(scope).not.toContain('\u0000');
      expect(Buffer.from(scope).toString()).toBe(scope);
    }),
  );
});

test('a principal of one part is the same as a list of one, and no other spelling of it is', () => {
  expect(encodeScope('a,b')).toBe(encodeScope(['a,b']));
  const spellings = ['ab', 'a,b', '["a","b"]', ['a', 'b'], ['a', 'b', ''], ['', 'a', 'b'], ['a', '', 'b']];
  expect(new Set(spellings.map(encodeScope)).size).toBe(spellings.length);
});

describe('a scope that an index row could not hold beside its key is refused when it is made', () => {
  test.each<[string, string]>([
    ['ASCII', 'x'],
    ['two bytes a character', 'ü'],
    ['three bytes a character', '語'],
    ['escaped', '\u0000'],
    ['half a surrogate pair', '\ud800'],
  ])('%s', (_, character) => {
    const bytes = Buffer.byteLength(JSON.stringify(character)) - 2;
    const longest = character.repeat(Math.floor((MAX_SCOPE_BYTES - 4) / bytes));
    expect(Buffer.byteLength(encodeScope(longest))).toBeLessThanOrEqual(MAX_SCOPE_BYTES);
    expect(() => encodeScope(longest + character)).toThrow(TypeError);
  });
});

test.each([
  ['a number', 5],
  ['a list with a number', ['a', 5]],
  ['a list with nothing in it', ['a', undefined]],
  ['an object', { id: 'a' }],
  ['a list in a list', [['a']]],
])('%s is no principal', (_, principal) => {
  expect(() => encodeScope(principal as never)).toThrow(TypeError);
});
