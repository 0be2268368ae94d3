import { type Fault, faultNames, isFault } from '../faults.js';

/** How often each fault is drawn, relative to the others. What is not named is never drawn. */
export type Weights = { readonly [F in Fault]?: number };

/**
 * A bad day: half of all requests pass. Answers are lost more often than requests, because a lost answer is the
 * dangerous half: the effect is there and nobody told the client.
 */
export const defaultWeights: Weights = Object.freeze({
  pass: 50,
  'reset-at-once': 4,
  'lose-request': 4,
  'lose-request-hang': 2,
  'lose-answer-reset': 6,
  'lose-answer-close': 5,
  'lose-answer-cut': 4,
  'lose-answer-hang': 3,
  'delay-request': 3,
  'delay-answer': 3,
  'duplicate-together': 4,
  'duplicate-in-turn': 3,
  'duplicate-late': 3,
  'gateway-error': 2,
  'gateway-error-after': 2,
  'too-many-requests': 1,
  'captive-portal': 1,
});

/**
 * Turns weights into a function from a number in [0, 1) to a fault.
 * @throws TypeError for a name that is no fault, a weight that is negative or not finite, or weights that are all zero.
 */
export function drawBy(weights: Weights): (random: number) => Fault {
  for (const [name, weight] of Object.entries(weights)) {
    if (!isFault(name))
      throw new TypeError(`"${name}" is not a fault; the faults are ${faultNames.join(', ')}`);
    if (typeof weight !== 'number' || !(weight >= 0 && weight < Number.POSITIVE_INFINITY))
      throw new TypeError(`the weight of "${name}" must be a number from 0, not ${String(weight)}`);
  }
  // In the table's order, not the caller's: the order in which weights are written must not change the schedule.
  const drawn = faultNames
    .map((fault) => ({ fault, weight: weights[fault] ?? 0 }))
    .filter(({ weight }) => weight > 0);
  const total = drawn.reduce((sum, { weight }) => sum + weight, 0);
  const last = drawn.at(-1);
  if (last === undefined) throw new TypeError('at least one fault needs a weight above 0');
  return (random) => {
    let left = random * total;
    for (const { fault, weight } of drawn) {
      left -= weight;
      if (left < 0) return fault;
    }
    return last.fault; // Rounding can leave a sliver above the last sum.
  };
}
