import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs, pollMs } from './backoff.js';
import { MAX_TIMER_MS } from './clock.js';

const policies = fc
  .tuple(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 0, max: MAX_TIMER_MS }))
  .map(([minDelayMs, maxDelayMs]) => ({ minDelayMs, maxDelayMs }));
const draws = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const counts = fc.integer({ min: 1, max: 2_000 });

test('a delay is never above its doubling bound, nor above the cap', () => {
  fc.assert(
    fc.property(counts, policies, draws, (failures, policy, draw) => {
      const delay = backoffMs(failures, policy, () => draw);
      expect(delay).toBeGreaterThanOrEqual(0);
      expect(delay).toBeLessThanOrEqual(policy.maxDelayMs);
      const bound = policy.minDelayMs === 0 ? 0 : policy.minDelayMs * 2 ** (failures - 1);
      expect(delay).toBeLessThanOrEqual(bound);
    }),
  );
});

test('below the cap the whole range is drawn from', () => {
  const policy = { minDelayMs: 100, maxDelayMs: 10_000 };
  expect(backoffMs(3, policy, () => 0)).toBe(0);
  expect(backoffMs(3, policy, () => 0.5)).toBe(200);
  expect(backoffMs(3, policy, () => 0.999_999)).toBe(400);
});

test('at the cap the draw is from the upper half', () => {
  fc.assert(
    fc.property(fc.integer({ min: 8, max: 1_000 }), draws, (failures, draw) => {
      const delay = backoffMs(failures, { minDelayMs: 100, maxDelayMs: 10_000 }, () => draw);
      expect(delay).toBeGreaterThanOrEqual(5_000);
      expect(delay).toBeLessThanOrEqual(10_000);
    }),
  );
});

test('Retry-After is a lower bound, and the jitter comes on top of it', () => {
  fc.assert(
    fc.property(
      counts,
      policies,
      draws,
      fc.integer({ min: 0, max: 86_400_000 }),
      (failures, policy, draw, asked) => {
        const delay = backoffMs(failures, policy, () => draw, asked);
        expect(delay).toBeGreaterThanOrEqual(asked);
        expect(delay).toBeLessThanOrEqual(asked + policy.maxDelayMs + 1);
      },
    ),
  );
});

test('no delay is longer than a timer holds', () => {
  fc.assert(
    fc.property(counts, policies, draws, fc.integer({ min: 0 }), (failures, policy, draw, asked) => {
      expect(backoffMs(failures, policy, () => draw, asked * 1_000)).toBeLessThanOrEqual(MAX_TIMER_MS);
    }),
  );
});

test('a running operation is asked for every 50 ms at most and every 2 s at least, whatever the policy', () => {
  fc.assert(
    fc.property(counts, policies, draws, (polls, policy, draw) => {
      const delay = pollMs(polls, policy, () => draw);
      expect(delay).toBeGreaterThanOrEqual(50);
      expect(delay).toBeLessThanOrEqual(2_000);
    }),
  );
});

test('a running operation is not asked for before its Retry-After', () => {
  expect(pollMs(1, { minDelayMs: 100, maxDelayMs: 1_000 }, () => 0.5, 30_000)).toBe(30_050);
});
