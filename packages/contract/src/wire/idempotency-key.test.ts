import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatIdempotencyKey,
  isIdempotencyKey,
  MAX_KEY_LENGTH,
  parseIdempotencyKey,
} from './idempotency-key.js';

const missing = { ok: false, refusal: 'KEY_MISSING' };
const malformed = { ok: false, refusal: 'KEY_MALFORMED' };
const key = (text: string) => ({ ok: true, key: text });

const printable = Array.from({ length: 0x7f - 0x20 }, (_, at) => String.fromCharCode(0x20 + at));
const inKey = fc.constantFrom(...printable.filter((char) => char !== ','));
const anyKey = fc
  .string({ unit: inKey, minLength: 1, maxLength: MAX_KEY_LENGTH })
  .filter((text) => text.trim() === text);

describe('a header is read', () => {
  test.each([
    ['bare', 'abc', 'abc'],
    ['quoted', '"abc"', 'abc'],
    ['with blanks around it, bare', ' \t abc\t', 'abc'],
    ['with blanks around it, quoted', '  "abc" ', 'abc'],
    ['with a blank within, bare', 'a b', 'a b'],
    ['with a blank within, quoted', '"a b"', 'a b'],
    ['with an escaped quote', String.raw`"a\"b"`, 'a"b'],
    ['with an escaped backslash', String.raw`"a\\b"`, String.raw`a\b`],
    ['with a quote within, bare', 'a"b', 'a"b'],
    ['with a backslash, bare: nothing is escaped there', String.raw`a\\b`, String.raw`a\\b`],
    ['a single character', 'x', 'x'],
    ['a UUID', '0196f0a2-7b1c-7c3e-9a55-2f1de0a7b1c4', '0196f0a2-7b1c-7c3e-9a55-2f1de0a7b1c4'],
    [
      'every printable character but a comma',
      `"${`!#$%&'()*+-./0:;<=>?@A[]^_\`a{|}~`}"`,
      `!#$%&'()*+-./0:;<=>?@A[]^_\`a{|}~`,
    ],
  ])('%s', (_how, header, read) => {
    expect(parseIdempotencyKey(header)).toEqual(key(read));
  });

  test('quoted and bare as the same key', () => {
    fc.assert(
      fc.property(
        anyKey.filter((text) => !text.startsWith('"')),
        (text) => {
          expect(parseIdempotencyKey(text)).toEqual(parseIdempotencyKey(formatIdempotencyKey(text)));
        },
      ),
    );
  });
});

describe('a header is refused', () => {
  test.each([
    ['absent', undefined, missing],
    ['null, as fetch has it', null, missing],
    ['empty', '', malformed],
    ['blank', ' \t ', malformed],
    ['empty in quotes', '""', malformed],
    ['blank in quotes', '" "', malformed],
    ['with a blank at the start, in quotes', '" a"', malformed],
    ['with a blank at the end, in quotes', '"a "', malformed],
    ['two of them, as HTTP joins them', 'a, b', malformed],
    ['two quoted ones', '"a", "b"', malformed],
    ['with a comma in quotes', '"a,b"', malformed],
    ['a comma', ',', malformed],
    ['with an open quote', '"abc', malformed],
    ['a quote', '"', malformed],
    ['with something after the quote', '"abc"d', malformed],
    ['with a parameter', '"abc";v=1', malformed],
    ['with an escape that means nothing', String.raw`"a\bc"`, malformed],
    ['with the closing quote escaped', String.raw`"abc\"`, malformed],
    ['with a quote in quotes', '"a"b"', malformed],
    ['with a tab within', 'a\tb', malformed],
    ['with a line feed', 'a\nb', malformed],
    ['with a line feed at the end', 'abc\n', malformed],
    ['with a NUL', 'a\u0000b', malformed],
    ['with DEL', 'a\u007fb', malformed],
    ['with an umlaut', 'käse', malformed],
    ['with a no-break space at the end', 'abc\u00a0', malformed],
    ['with a byte order mark', '\ufeffabc', malformed],
    ['with an emoji', '🧀', malformed],
  ])('%s', (_how, header, refused) => {
    expect(parseIdempotencyKey(header)).toEqual(refused);
  });

  test('with any character outside printable ASCII, wherever it stands', () => {
    const outside = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 1 })
      .filter((char) => !/[\x20-\x7e]/.test(char));
    fc.assert(
      fc.property(anyKey, outside, anyKey, (before, char, after) => {
        expect(parseIdempotencyKey(`${before}${char}${after}`)).toEqual(malformed);
      }),
    );
  });

  test('in time that does not depend on what is in it', () => {
    const started = performance.now();
    for (const long of [
      '"'.repeat(1e6),
      '\\'.repeat(1e6),
      `"${'\\"'.repeat(5e5)}`,
      `a${' '.repeat(1e6)}`,
      ' '.repeat(1e6),
    ])
      expect(parseIdempotencyKey(long).ok).toBe(long === `a${' '.repeat(1e6)}`);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('a key has at most 255 characters', () => {
  const longest = 'k'.repeat(255);

  test.each([
    ['bare', longest, `${longest}k`],
    ['quoted', `"${longest}"`, `"${longest}k"`],
    // What counts is the key, not how it is written.
    ['quoted, each character escaped', `"${'\\"'.repeat(255)}"`, `"${'\\"'.repeat(256)}"`],
  ])('%s', (_how, fits, tooLong) => {
    expect(parseIdempotencyKey(fits)).toMatchObject({ ok: true });
    expect(parseIdempotencyKey(tooLong)).toEqual(malformed);
  });
});

describe('a key is written', () => {
  test('as a structured-field string', () => {
    expect(formatIdempotencyKey('abc')).toBe('"abc"');
    expect(formatIdempotencyKey(String.raw`a"b\c`)).toBe(String.raw`"a\"b\\c"`);
  });

  test('so that reading it gives it back', () => {
    fc.assert(
      fc.property(anyKey, (text) => {
        expect(parseIdempotencyKey(formatIdempotencyKey(text))).toEqual(key(text));
      }),
      { numRuns: 1_000 },
    );
  });

  test.each(['', ' ', 'a,b', ' a', 'a ', 'ä', 'a\nb', 'k'.repeat(256)])(
    'never when it is none: %j',
    (text) => {
      expect(isIdempotencyKey(text)).toBe(false);
      expect(() => formatIdempotencyKey(text)).toThrow(TypeError);
    },
  );
});

test('whatever is read is a key, whatever the header', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('"', '\\', ' ', ',', 'a') })),
      (header) => {
        const parsed = parseIdempotencyKey(header);
        if (parsed.ok) expect(isIdempotencyKey(parsed.key)).toBe(true);
        else expect(parsed).toEqual(malformed);
      },
    ),
    { numRuns: 1_000 },
  );
});
