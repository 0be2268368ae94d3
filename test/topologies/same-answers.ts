import { expect } from 'vitest';
import { oneEuro, type Sent, send } from '../bank/send.js';

/** Sends calls, and holds every answer for a key against those before it. */
export interface SameAnswers {
  /** @throws when the answer differs from an earlier one for this key, or takes longer than `withinMs`. */
  ask(url: string, key: string, withinMs?: number): Promise<Sent>;
  /** The keys that have an outcome. */
  readonly keys: readonly string[];
}

export function sameAnswers(): SameAnswers {
  const outcomes = new Map<string, string>();
  return {
    get keys() {
      return [...outcomes.keys()];
    },
    async ask(url, key, withinMs = 10_000) {
      const beganAt = performance.now();
      const answer = await send(url, 'transfer', oneEuro, { key });
      expect(performance.now() - beganAt).toBeLessThan(withinMs);
      if (answer.status === 200) {
        expect(answer.text).toBe(outcomes.get(key) ?? answer.text);
        outcomes.set(key, answer.text);
      }
      return answer;
    },
  };
}
