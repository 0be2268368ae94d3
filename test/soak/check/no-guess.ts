import { isOutcome } from '../log/meaning.js';
import type { Rule } from './case.js';

/**
 * No attempt that was told "nothing of this was kept" is the one that took effect, and none that was told "this is
 * settled by you" is another. Only of those that went straight to a server: the network sends some twice, and then one
 * name stands for two.
 */
export const noGuess: Rule = function* ({ history, evidence }) {
  const effectOf = new Map(evidence.ledger.map((row) => [`${row.principal} ${row.key}`, row]));
  for (const row of evidence.ledger) {
    const attempt = history.attempts.get(row.attempt);
    if (!attempt || attempt.via === 'network' || !attempt.meaning) continue;
    const { kind } = attempt.meaning;
    if (kind === 'released' || kind === 'refused')
      yield {
        rule: 'guessed',
        what: `attempt ${row.attempt} was told ${JSON.stringify(attempt.meaning)}, and wrote ledger row ${row.id}`,
        operations: [attempt.operation],
      };
  }
  for (const { attempt, via, principal, key, operation, meaning } of history.attempts.values()) {
    if (via === 'network' || !meaning || !isOutcome(meaning)) continue;
    if (meaning.kind !== 'completed' || meaning.settlement !== 'settled') continue;
    const writer = effectOf.get(`${principal} ${key}`)?.attempt;
    if (writer !== attempt)
      yield {
        rule: 'guessed',
        what: `attempt ${attempt} was told that it settled, and the effect is of ${writer}`,
        operations: [operation],
      };
  }
};
