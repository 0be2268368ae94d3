import { array, assert, integer, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { afterBytes, beforeText, type Meets } from './trip-wire.js';

/** What passes of `text` when it comes in pieces that end at `ends`; and whether the wire tripped. */
function passed(meets: Meets, text: string, ends: readonly number[]): { bytes: string; tripped: boolean } {
  const line = {};
  const cuts = [...new Set([...ends.map((end) => end % (text.length + 1)), text.length])].sort(
    (a, b) => a - b,
  );
  let bytes = '';
  let from = 0;
  for (const end of cuts) {
    const piece = text.slice(from, end);
    from = end;
    const at = piece === '' ? undefined : meets(Buffer.from(piece), line);
    bytes += piece.slice(0, at);
    if (at !== undefined) return { bytes, tripped: true };
  }
  return { bytes, tripped: false };
}

const letters = string({ unit: 'grapheme-ascii', maxLength: 40 });
const pieces = array(integer({ min: 0, max: 40 }), { maxLength: 10 });

it('after a number of bytes, exactly so many have passed, however they come in pieces', () => {
  assert(
    property(letters, pieces, integer({ min: 0, max: 50 }), (text, ends, count) => {
      const { bytes, tripped } = passed(afterBytes(count), text, ends);
      expect(bytes).toBe(text.slice(0, count));
      expect(tripped).toBe(text.length > count);
    }),
  );
});

it('the text that is waited for never passes whole, however it comes in pieces', () => {
  assert(
    property(letters, letters, pieces, (before, after, ends) => {
      const text = `${before}COMMIT${after}`;
      const { bytes, tripped } = passed(beforeText('COMMIT'), text, ends);
      expect(tripped).toBe(true);
      expect(bytes).not.toContain('COMMIT');
      expect(text.startsWith(bytes)).toBe(true);
      expect(bytes.length).toBeGreaterThanOrEqual(text.indexOf('COMMIT'));
    }),
  );
});

it('a text spread over two connections is not the text', () => {
  const meets = beforeText('COMMIT');
  expect(meets(Buffer.from('COM'), {})).toBeUndefined();
  expect(meets(Buffer.from('MIT'), {})).toBeUndefined();
});
