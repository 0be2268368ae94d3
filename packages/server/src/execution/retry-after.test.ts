import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfterInProgress } from './retry-after.js';

test('it asks back after as long as the call has been running', () => {
  expect(retryAfterInProgress(700, 30_000)).toBe(700);
});

test('and no later than the lease can end', () => {
  expect(retryAfterInProgress(1_500, 400)).toBe(400);
});

test('never sooner than 200 ms nor later than 2 s, in whole milliseconds, whatever the store says', () => {
  const ms = fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.constantFrom(0, 0.4, -1, 2 ** 40));
  fc.assert(
    fc.property(ms, ms, (age, left) => {
      const wait = retryAfterInProgress(age, left);
      expect(Number.isInteger(wait)).toBe(true);
      expect(wait).toBeGreaterThanOrEqual(200);
      expect(wait).toBeLessThanOrEqual(2_000);
    }),
  );
});
