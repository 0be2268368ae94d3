import { expect, it } from 'vitest';
import { fnv1a, randomFrom, splitMix64 } from './random.js';

it('fnv1a gives the published test vectors', () => {
  expect(fnv1a('')).toBe(0xcbf29ce484222325n);
  expect(fnv1a('a')).toBe(0xaf63dc4c8601ec8cn);
  expect(fnv1a('foobar')).toBe(0x85944171f73967e8n);
});

it('splitMix64 gives the numbers of the reference implementation', () => {
  const next = splitMix64(1234567n);
  expect([next(), next(), next(), next(), next()]).toEqual([
    6457827717110365317n,
    3203168211198807973n,
    9817491932198370423n,
    4593380528125082431n,
    16408922859458223821n,
  ]);
});

it('parts that read the same when joined start differently', () => {
  expect(randomFrom('a', 'bc')()).not.toBe(randomFrom('ab', 'c')());
  expect(randomFrom('a', 1)()).not.toBe(randomFrom('a', '1')());
});

it('numbers lie in [0, 1) and near-equal starting points fill it evenly', () => {
  const tenths = new Array<number>(10).fill(0);
  for (let attempt = 1; attempt <= 20_000; attempt++) {
    const random = randomFrom('seed', 'operation', attempt)();
    expect(random).toBeGreaterThanOrEqual(0);
    expect(random).toBeLessThan(1);
    tenths[Math.floor(random * 10)]!++;
  }
  // 2,000 are expected in each tenth; five standard deviations are 212.
  for (const count of tenths) expect(Math.abs(count - 2_000)).toBeLessThan(212);
});
