import { type Fault, isFault } from '../faults.js';
import type { Decision, Schedule } from './decision.js';
import { randomFrom } from './random.js';
import { defaultWeights, drawBy, type Weights } from './weights.js';

export interface ScheduleOptions {
  /**
   * At most so many faults in a row per identity: every attempt whose number is a multiple of this plus one passes,
   * so that an operation ends even when the weights allow nothing but faults. Keep it below the client's
   * `maxAttempts`, or an operation may stay unknown.
   * @default 4 — with the contract's default of 8 attempts, one that passes is always among them
   */
  readonly maxConsecutiveFaults?: number;
  /**
   * Bounds of every delay, in milliseconds. Put `least` above the client's attempt timeout to make every delayed
   * answer come too late; put it below to have both.
   * @default { least: 500, most: 2_000 }
   */
  readonly delayMs?: { readonly least: number; readonly most: number };
}

const gatewayStatuses = [502, 503, 504] as const;

/**
 * A seeded schedule: the same seed, weights and options give the same decision for the same identity and attempt,
 * whatever the timing and the order in which requests arrive.
 *
 * @throws TypeError when a weight, a bound or the number of consecutive faults makes no sense.
 * @example
 * ```ts
 * const halfLost = schedule(7, { pass: 1, 'lose-answer-reset': 1 });
 * halfLost.decide('order 12', 1); // always the same
 * ```
 */
export function schedule(
  seed: number | string,
  weights: Weights = defaultWeights,
  options: ScheduleOptions = {},
): Schedule {
  const { maxConsecutiveFaults = 4, delayMs = { least: 500, most: 2_000 } } = options;
  if (!Number.isInteger(maxConsecutiveFaults) || maxConsecutiveFaults < 0)
    throw new TypeError(
      `maxConsecutiveFaults must be a whole number from 0, not ${String(maxConsecutiveFaults)}`,
    );
  // Timers hold at most 2^31-1 ms; a longer delay would fire at once.
  if (!(delayMs.least >= 0 && delayMs.least <= delayMs.most && delayMs.most <= 2_147_483_647))
    throw new TypeError(
      `delayMs must hold 0 <= least <= most <= 2147483647, not ${delayMs.least} and ${delayMs.most}`,
    );
  const draw = drawBy(weights);
  return {
    decide(identity, attempt) {
      const random = randomFrom(String(seed), identity, attempt);
      const fault = draw(random());
      // Every figure is drawn for every fault, so that what is added later leaves the earlier draws as they are.
      return {
        fault: attempt % (maxConsecutiveFaults + 1) === 0 ? 'pass' : fault,
        delayMs: Math.round(delayMs.least + random() * (delayMs.most - delayMs.least)),
        cutAt: random(),
        gatewayStatus: gatewayStatuses[Math.floor(random() * 3)] ?? 504,
        answerOf: random() < 0.5 ? 1 : 2,
      };
    },
  };
}

/**
 * A schedule written out by hand, for a test that needs one known course of events: the first attempt of every
 * identity gets the first fault, and so on; what comes after the last passes.
 *
 * @throws TypeError for a name that is no fault.
 * @example
 * ```ts
 * script(['lose-answer-reset', { fault: 'delay-request', delayMs: 50 }]);
 * ```
 */
export function script(course: readonly (Fault | (Partial<Decision> & Pick<Decision, 'fault'>))[]): Schedule {
  const decisions = course.map((step): Decision => {
    const written = typeof step === 'string' ? { fault: step } : step;
    if (!isFault(written.fault)) throw new TypeError(`"${String(written.fault)}" is not a fault`);
    return { ...plain, ...written };
  });
  return { decide: (_identity, attempt) => decisions[attempt - 1] ?? plain };
}

const plain: Decision = { fault: 'pass', delayMs: 0, cutAt: 0.5, gatewayStatus: 504, answerOf: 1 };
