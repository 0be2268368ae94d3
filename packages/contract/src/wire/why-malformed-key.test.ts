import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseIdempotencyKey } from './idempotency-key.js';
import { whyMalformedKey } from './why-malformed-key.js';

test.each([
  ['', 'it is empty'],
  [' \t ', 'it is empty'],
  ['""', 'nothing between its quotes'],
  ['"  "', 'nothing between its quotes'],
  ['" a"', 'a blank inside its quotes'],
  ['a, b', 'a comma, as HTTP joins a header that was sent twice'],
  ['"a", "b"', 'a comma'],
  ['"a,b"', 'a comma'],
  [`${'k'.repeat(200)},${'k'.repeat(200)}`, 'a comma'],
  ['k'.repeat(256), 'it has 256 characters, and 255 is the most'],
  [`"${'\\"'.repeat(256)}"`, 'it has 256 characters'],
  ['"abc', 'no quote ends it'],
  [String.raw`"abc\"`, 'no quote ends it'],
  ['"', 'no quote ends it'],
  ['"abc";v=1', 'parameters follow'],
  ['"abc"d', 'something follows the quote that ends it'],
  ['"a"b"', 'something follows'],
  [String.raw`"a\bc"`, 'an escape that means nothing'],
  ['a\tb', 'a tab'],
  ['a\nb', 'character 2 is U+000A'],
  ['käse', 'character 2 is U+00E4'],
  ['🧀', 'character 1 is U+1F9C0'],
  ['\ufeffabc', 'character 1 is U+FEFF'],
])('of %j it says what is wrong', (header, why) => {
  expect(parseIdempotencyKey(header).ok).toBe(false);
  expect(whyMalformedKey(header)).toContain(why);
});

test('it tells nothing of what the key holds, in time that does not depend on it', () => {
  const header = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('"', '\\', ' ', ',', 'q', 'ä') }));
  fc.assert(
    fc.property(header, (text) => {
      // The texts themselves hold no q that stands alone.
      expect(whyMalformedKey(`${text}q'q`)).not.toContain("q'q");
    }),
  );
  const started = performance.now();
  for (const long of ['"'.repeat(1e6), '\\'.repeat(1e6), `"${'\\"'.repeat(5e5)}`, `"${' '.repeat(1e6)}x"`])
    whyMalformedKey(long);
  expect(performance.now() - started).toBeLessThan(2_000);
});
