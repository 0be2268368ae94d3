import { faultPoints } from '@trpc-once/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { effects } from '../bank/index.js';
import { said } from './answer.js';
import { faults } from './fault.js';
import { type Walk, walkEveryPoint } from './walk.js';
import { nameOf, waysToPoints } from './ways-to-points.js';

test('there is a way to every point', () => {
  expect(new Set(waysToPoints.map(({ point }) => point))).toEqual(new Set(faultPoints));
});

describe.each(faults)('$name', (fault) => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await walkEveryPoint(fault);
  });
  afterAll(() => walk?.[Symbol.asyncDispose]());

  for (const way of waysToPoints)
    test(`at "${nameOf(way)}": one effect, one outcome for everybody, and nothing guessed`, async () => {
      const { key, answers, victims } = walk.operation(way);
      const { db } = walk.survivor.bank;
      expect(await effects(db, key)).toBe(1);
      const outcomes = answers.filter(({ status }) => status === 200);
      expect(outcomes.length).toBeGreaterThanOrEqual(2);
      expect(new Set(outcomes.map(({ text }) => text)).size).toBe(1);

      const allowed = ['IN_PROGRESS', 'STORE_UNAVAILABLE', 'settled', 'replayed', 'released', 'unknown'];
      for (const answer of answers) expect(allowed).toContain(said(answer));
      const first = await victims;
      if (fault.kills !== true) expect(first).toBeDefined();
      const { rows } = await db.query('SELECT by FROM effect_origins WHERE key = $1', [key]);
      expect(rows).toHaveLength(1);
      // Who was told that nothing of the attempt was kept was told the truth.
      if (first && ['released', 'STORE_UNAVAILABLE', 'IN_PROGRESS'].includes(said(first)))
        expect(rows).toEqual([{ by: 'survivor' }]);
    });
});
