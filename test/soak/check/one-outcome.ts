import { isOutcome } from '../log/meaning.js';
import type { Rule } from './case.js';
import { groupBy, idOf } from './history.js';

/** Everybody who was given an outcome of a key was given the same one, to the byte, and one attempt at most settled it. */
export const oneOutcome: Rule = function* ({ history }) {
  for (const [id, attempts] of groupBy([...history.attempts.values()], idOf)) {
    const outcomes = attempts.flatMap(({ meaning }) => (meaning && isOutcome(meaning) ? meaning : []));
    const operations = [...new Set(attempts.map(({ operation }) => operation))];
    const different = new Set(outcomes.map(({ kind, body }) => `${kind} ${body}`));
    if (different.size > 1)
      yield {
        rule: 'two outcomes',
        what: `key ${id} was given ${different.size} outcomes:\n${[...different].join('\n')}`,
        operations,
      };
    const settled = outcomes.filter(({ settlement }) => settlement === 'settled');
    if (settled.length > 1)
      yield { rule: 'settled twice', what: `${settled.length} attempts of key ${id} settled it`, operations };
  }
};
