import { isOutcome } from '../log/meaning.js';
import type { Rule } from './case.js';
import { groupBy, type Operation } from './history.js';

/** By the end of the calm every operation has come to what it must come to. */
export const ended: Rule = function* ({ history, evidence }) {
  const effectsOf = groupBy([...evidence.ledger], ({ reference }) => reference);
  for (const operation of history.operations.values()) {
    const why = whyNot(operation, effectsOf.get(operation.name)?.length ?? 0);
    if (why !== undefined)
      yield {
        rule: 'no end',
        what: `${operation.name} (${operation.fate}): ${why}`,
        operations: [operation.name],
      };
  }
};

function whyNot({ fate, attempts, told }: Operation, effects: number): string | undefined {
  const honest = attempts.filter(({ role }) => role === 'honest');
  const meanings = honest.flatMap(({ meaning }) => meaning ?? []);
  if (told.some(({ outcome }) => outcome.kind === 'ended')) return 'the client gave it up';
  switch (fate) {
    case 'effect':
      if (!meanings.some(({ kind }) => kind === 'completed')) return 'nobody was told its outcome';
      return effects === 0 ? 'it has no effect' : undefined;
    case 'declared':
    case 'declined':
      if (!meanings.some(({ kind }) => kind === 'failed')) return 'nobody was told its outcome';
      return effects > 0 ? 'it has an effect' : undefined;
    case 'doomed':
      if (!meanings.some((meaning) => meaning.kind === 'released' && meaning.byHandler === 'doomed'))
        return 'nobody was told that its handler fails';
      if (meanings.some(isOutcome)) return 'it settled';
      return effects > 0 ? 'it has an effect' : undefined;
    case 'contested':
      // The loser may be refused while the winner still runs. Should that come to nothing, and a late copy of the loser
      // turn the winner away, none of the two takes effect, as both were told.
      return meanings.some(
        (meaning) =>
          isOutcome(meaning) || (meaning.kind === 'refused' && meaning.refusal === 'FINGERPRINT_MISMATCH'),
      )
        ? undefined
        : 'it was neither settled nor refused';
  }
}
