import { array, assert, constantFrom, dictionary, integer, property, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Fault, faultNames } from '../faults.js';
import { schedule, script } from './schedule.js';
import { defaultWeights, drawBy, type Weights } from './weights.js';

const attempts = tuple(string(), integer({ min: 1, max: 50 }));
const someWeights = dictionary(constantFrom(...faultNames), integer({ min: 1, max: 9 }), { minKeys: 1 });

describe('a seeded schedule', () => {
  it('decides the same for the same seed, identity and attempt, in whatever order it is asked', () => {
    assert(
      property(string(), array(attempts, { minLength: 1 }), someWeights, (seed, asked, weights) => {
        const there = asked.map((each) => schedule(seed, weights).decide(...each));
        const again = schedule(seed, weights);
        const back = asked.toReversed().map((each) => again.decide(...each));
        expect(back.toReversed()).toEqual(there);
      }),
    );
  });

  it('does not depend on the order in which weights are written', () => {
    const reversed: Weights = Object.fromEntries(Object.entries(defaultWeights).reverse());
    for (let attempt = 1; attempt <= 200; attempt++)
      expect(schedule(1, reversed).decide('a', attempt)).toEqual(schedule(1).decide('a', attempt));
  });

  it('takes the seed 7 of a program and the seed "7" of a command line as the same', () => {
    expect(schedule('7').decide('a', 1)).toEqual(schedule(7).decide('a', 1));
  });

  it('decides differently for another seed, another identity and another attempt', () => {
    const course = (seed: number, identity: string, from: number) =>
      Array.from({ length: 40 }, (_, at) => schedule(seed).decide(identity, from + at).fault).join();
    const courses = [course(1, 'a', 1), course(2, 'a', 1), course(1, 'b', 1), course(1, 'a', 2)];
    expect(new Set(courses).size).toBe(courses.length);
  });

  it('gives this course for seed 1 today and on every other machine', () => {
    const course = [1, 2, 3, 4, 5, 6].map((attempt) => schedule(1).decide('operation 1', attempt));
    expect(course).toMatchInlineSnapshot(`
      [
        {
          "answerOf": 2,
          "cutAt": 0.2945538335391241,
          "delayMs": 1787,
          "fault": "reset-at-once",
          "gatewayStatus": 502,
        },
        {
          "answerOf": 2,
          "cutAt": 0.9858545847667024,
          "delayMs": 503,
          "fault": "duplicate-together",
          "gatewayStatus": 502,
        },
        {
          "answerOf": 2,
          "cutAt": 0.6765521186313453,
          "delayMs": 603,
          "fault": "reset-at-once",
          "gatewayStatus": 503,
        },
        {
          "answerOf": 2,
          "cutAt": 0.01968459028359182,
          "delayMs": 942,
          "fault": "pass",
          "gatewayStatus": 503,
        },
        {
          "answerOf": 1,
          "cutAt": 0.4763441040098685,
          "delayMs": 782,
          "fault": "pass",
          "gatewayStatus": 502,
        },
        {
          "answerOf": 1,
          "cutAt": 0.15060675536643653,
          "delayMs": 1379,
          "fault": "pass",
          "gatewayStatus": 503,
        },
      ]
    `);
  });

  it('never has more faults in a row than allowed', () => {
    const faultsOnly: Weights = { 'lose-answer-reset': 1, 'lose-request': 1 };
    assert(
      property(string(), string(), integer({ min: 0, max: 6 }), (seed, identity, most) => {
        const decided = schedule(seed, faultsOnly, { maxConsecutiveFaults: most });
        let row = 0;
        for (let attempt = 1; attempt <= 30; attempt++) {
          row = decided.decide(identity, attempt).fault === 'pass' ? 0 : row + 1;
          expect(row).toBeLessThanOrEqual(most);
        }
      }),
    );
  });

  it('mixes faults by their weights', () => {
    const draws = 4_000;
    assert(
      property(integer(), someWeights, (seed, weights) => {
        const decided = schedule(seed, weights);
        const seen = new Map<Fault, number>();
        for (let operation = 0; operation < draws; operation++) {
          const { fault } = decided.decide(`operation ${operation}`, 1);
          seen.set(fault, (seen.get(fault) ?? 0) + 1);
        }
        const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
        for (const fault of faultNames) {
          const share = (weights[fault] ?? 0) / total;
          // Six standard deviations: one false alarm in a hundred million.
          const tolerance = 6 * Math.sqrt(draws * share * (1 - share));
          expect(Math.abs((seen.get(fault) ?? 0) - draws * share)).toBeLessThanOrEqual(tolerance);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('keeps every drawn figure within its bounds', () => {
    assert(
      property(string(), attempts, integer({ min: 0, max: 9_999 }), ([...seed], each, least) => {
        const delayMs = { least, most: least + 500 };
        const decision = schedule(seed.join(''), defaultWeights, { delayMs }).decide(...each);
        expect(decision.delayMs).toBeGreaterThanOrEqual(delayMs.least);
        expect(decision.delayMs).toBeLessThanOrEqual(delayMs.most);
        expect(decision.cutAt).toBeGreaterThanOrEqual(0);
        expect(decision.cutAt).toBeLessThan(1);
        expect([502, 503, 504]).toContain(decision.gatewayStatus);
        expect([1, 2]).toContain(decision.answerOf);
      }),
    );
  });

  it.each<[why: string, make: () => unknown]>([
    ['a name that is no fault', () => schedule(1, { 'lose-everything': 1 } as Weights)],
    ['a negative weight', () => schedule(1, { pass: -1 })],
    ['an endless weight', () => schedule(1, { pass: Number.POSITIVE_INFINITY })],
    ['no weight above zero', () => schedule(1, { pass: 0 })],
    ['half a fault in a row', () => schedule(1, defaultWeights, { maxConsecutiveFaults: 0.5 })],
    ['bounds the wrong way round', () => schedule(1, defaultWeights, { delayMs: { least: 2, most: 1 } })],
    [
      'a delay that a timer cannot hold',
      () => schedule(1, defaultWeights, { delayMs: { least: 0, most: 2 ** 31 } }),
    ],
    ['a script with a name that is no fault', () => script(['nothing' as Fault])],
  ])('refuses %s', (_why, make) => {
    expect(make).toThrow(TypeError);
  });
});

it('the default weights name every fault', () => {
  expect(Object.keys(defaultWeights).sort()).toEqual([...faultNames].sort());
});

it('a draw at the very edge still gives a fault with weight', () => {
  expect(drawBy({ pass: 0.1, 'lose-request': 0.2, 'gateway-error': 0.3 })(1 - 2 ** -53)).toBe(
    'gateway-error',
  );
});

it('a script gives every identity the same course, then passes', () => {
  const course = script(['lose-request', { fault: 'gateway-error', gatewayStatus: 503 }]);
  expect(course.decide('a', 1).fault).toBe('lose-request');
  expect(course.decide('b', 2)).toMatchObject({ fault: 'gateway-error', gatewayStatus: 503 });
  expect(course.decide('a', 3).fault).toBe('pass');
});
