import { expect, test } from 'vitest';
import { pauper } from '../bank/soak-tables.js';
import { planKey, planSingle } from './operation-plan.js';

const some = Array.from({ length: 400 }, (_, n) => n);

test('the same seed plans the same operations, and another seed others', () => {
  expect(planKey(1, 'load0', 7)).toEqual(planKey(1, 'load0', 7));
  expect(planSingle(1, 'app', 7)).toEqual(planSingle(1, 'app', 7));
  expect(planKey(1, 'load0', 7)).not.toEqual(planKey(2, 'load0', 7));
});

test('every operation has a name of its own, which the database will know it by', () => {
  const all = some.flatMap((n) => planKey(1, 'load0', n).operations);
  expect(new Set(all.map(({ operation }) => operation)).size).toBe(all.length);
  expect(all.every(({ operation, input }) => input.reference === operation)).toBe(true);
});

test('every fate is planned; two that share a key differ in their input, or in whose they are', () => {
  const keys = some.map((n) => planKey(1, 'load0', n));
  const fates = new Set(keys.flatMap(({ operations }) => operations.map(({ fate }) => fate)));
  expect([...fates].sort()).toEqual(['contested', 'declared', 'declined', 'doomed', 'effect']);
  for (const { operations, followUps } of keys) {
    const [one, other] = operations;
    if (other) expect(one?.principal === other.principal).toBe(one?.fate === 'contested');
    // Nothing holds the key of an operation that did not settle.
    if (one?.fate === 'doomed' || one?.fate === 'contested') expect(followUps).toEqual([]);
  }
});

test('nobody pays the pauper, and who pays from it cannot', () => {
  const all = some.flatMap((n) => planKey(1, 'load0', n).operations);
  expect(all.every(({ input }) => input.to !== pauper && input.to !== input.from)).toBe(true);
  for (const { fate, input } of all) {
    expect(input.from === pauper).toBe(fate === 'declared');
    expect(input.cents).toBeGreaterThan(1);
  }
});
