import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprinter } from './fingerprint.js';

const transfer = { cents: 100, to: 'b' };
const march = { id: '2025-03', secret: 'march' };
const april = { id: '2025-04', secret: Buffer.from('april') };

test('an unkeyed fingerprint is the SHA-256 of path and canonical form, in version 1', () => {
  const digest = createHash('sha256')
    .update(String.raw`["pay","{\"cents\":100,\"to\":\"b\"}"]`)
    .digest('base64url');
  expect(fingerprinter()('pay', transfer).text).toBe(`1.${digest}`);
});

test('a keyed fingerprint names the secret and is its HMAC', () => {
  const digest = createHmac('sha256', 'march')
    .update(String.raw`["pay","{\"cents\":100,\"to\":\"b\"}"]`)
    .digest('base64url');
  expect(fingerprinter([march])('pay', transfer).text).toBe(`1k.2025-03.${digest}`);
});

test('path and input cannot run into each other', () => {
  const text = fc.string({ maxLength: 8 });
  fc.assert(
    fc.property(text, text, text, text, (path, input, otherPath, otherInput) => {
      fc.pre(path !== otherPath || input !== otherInput);
      expect(fingerprinter()(path, input).text).not.toBe(fingerprinter()(otherPath, otherInput).text);
    }),
  );
});

test('no input, undefined and an undefined property are the same; null is not', () => {
  const text = (input?: unknown) => fingerprinter()('tick', input).text;
  expect(text()).toBe(text(undefined));
  expect(text({ a: undefined })).toBe(text({}));
  expect(text(null)).not.toBe(text(undefined));
  expect(text({})).not.toBe(text(undefined));
});

describe('compare', () => {
  const made = fingerprinter();

  test('tells the same input from another one, and another path', () => {
    const stored = made('pay', transfer).text;
    expect(made('pay', { to: 'b', cents: 100 }).compare(stored)).toBe('same');
    expect(made('pay', { to: 'b', cents: 101 }).compare(stored)).toBe('different');
    expect(made('refund', transfer).compare(stored)).toBe('different');
  });

  test('a rotated secret: the new one signs, what the old one signed still compares', () => {
    const before = fingerprinter([march])('pay', transfer).text;
    const after = fingerprinter([april, march]);
    expect(after('pay', transfer).text).toMatch(/^1k\.2025-04\./);
    expect(after('pay', transfer).compare(before)).toBe('same');
    expect(after('pay', { ...transfer, cents: 1 }).compare(before)).toBe('different');
  });

  test('secrets introduced or given up by a deploy refuse nobody', () => {
    const unkeyed = made('pay', transfer).text;
    const keyed = fingerprinter([march])('pay', transfer);
    expect(keyed.compare(unkeyed)).toBe('same');
    expect(fingerprinter([march])('pay', {}).compare(unkeyed)).toBe('different');
    // The instance of the old deploy has no secret, so it cannot know.
    expect(made('pay', transfer).compare(keyed.text)).toBe('unknown-version');
  });

  test('another secret under a known id is different, as good as never seen', () => {
    const forged = fingerprinter([{ ...march, secret: 'other' }])('pay', transfer).text;
    expect(fingerprinter([march])('pay', transfer).compare(forged)).toBe('different');
  });

  test.each(['2.abc', '1k.unheard-of.abc', '1k', '', 'abc', '1x.abc', '10.abc'])(
    'a version that this process does not know says so, and never "same" or "different": %j',
    (stored) => {
      expect(fingerprinter([march])('pay', transfer).compare(stored)).toBe('unknown-version');
    },
  );

  test('a stored text that only begins like ours is not the same', () => {
    const { text } = made('pay', transfer);
    for (const stored of [`${text}x`, `${text}.x`, text.slice(0, -1), `1.${text}`])
      expect(made('pay', transfer).compare(stored)).toBe('different');
  });
});

test.each(['', 'a.b', 'a b', 'ä', 'x'.repeat(33)])(
  'a secret’s id that the text form cannot hold is refused: %j',
  (id) => {
    expect(() => fingerprinter([{ id, secret: 's' }])).toThrow(TypeError);
  },
);
