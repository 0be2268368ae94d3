import { expect } from 'vitest';
import { oneEuro, type Sent, send } from '../bank/send.js';
import { until } from '../resources/index.js';

/** Sends calls, and holds every answer for a key against those before it. */
export interface SameAnswers {
  /** @throws when the answer differs from an earlier one for this key, or takes longer than `withinMs`. */
  ask(url: string, key: string, withinMs?: number): Promise<Sent>;
  /**
   * Asks until there is an outcome, as a client does. On the way only "in progress" may be said: a claim store that is in
   * trouble may have kept a claim and missed its end.
   */
  outcome(url: string, key: string, withinMs?: number): Promise<Sent>;
}

export function sameAnswers(): SameAnswers {
  const outcomes = new Map<string, string>();
  const self: SameAnswers = {
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
    outcome: (url, key, withinMs) =>
      until(
        async () => {
          const answer = await self.ask(url, key, withinMs);
          if (answer.status === 200) return answer;
          expect(answer.body.error.data.idempotency?.refusal, answer.text).toBe('IN_PROGRESS');
          return undefined;
        },
        { withinMs: 20_000, everyMs: 50, what: `${key} has an outcome` },
      ),
  };
  return self;
}
