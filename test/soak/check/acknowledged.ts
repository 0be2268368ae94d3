import { isDeepStrictEqual } from 'node:util';
import { isOutcome } from '../log/meaning.js';
import type { Rule } from './case.js';
import { groupBy, idOf } from './history.js';
import { recordId } from './records.js';

/** What a client was told is its own, and what the database holds: the record to the byte, and the effect it speaks of. */
export const acknowledged: Rule = function* ({ history, evidence }) {
  const records = new Map(evidence.records.map((record) => [recordId(record), record]));
  const effects = new Map(evidence.ledger.map((row) => [row.id, row]));
  for (const [id, attempts] of groupBy([...history.attempts.values()], idOf)) {
    const record = records.get(id);
    for (const { attempt, operation, meaning } of attempts) {
      if (!meaning || !isOutcome(meaning)) continue;
      const wrong = (rule: string, what: string) => ({
        rule,
        what: `attempt ${attempt} was told ${meaning.kind} ${meaning.body}\n${what}`,
        operations: [operation],
      });
      const code = meaning.kind === 'failed' ? meaning.code : null;
      const told = [meaning.kind.toUpperCase(), code, meaning.body];
      if (!record) yield wrong('acknowledged and lost', `there is no record of key ${id}`);
      else if (!isDeepStrictEqual([record.status, record.code, record.body], told))
        yield wrong(
          'not what was recorded',
          `the record says ${record.status} ${record.code} ${record.body}`,
        );
      if (meaning.kind !== 'completed') continue;
      const receipt = JSON.parse(meaning.body) as { id: number; reference: string };
      const effect = effects.get(receipt.id);
      if (receipt.reference !== operation) yield wrong("another's outcome", `it asked for ${operation}`);
      if (!effect || idOf(effect) !== id || effect.reference !== receipt.reference)
        yield wrong('acknowledged and lost', `ledger row ${receipt.id} is ${JSON.stringify(effect)}`);
    }
  }
};

/** What the client library told its caller is what it was answered. */
export const toldTruly: Rule = function* ({ history }) {
  for (const { name, principal, attempts, told } of history.operations.values())
    for (const { key, outcome } of told) {
      if (outcome.kind === 'ended') continue;
      const answers = attempts.flatMap((attempt) =>
        idOf(attempt) === idOf({ principal, key }) && attempt.meaning && isOutcome(attempt.meaning)
          ? `${attempt.meaning.kind} ${attempt.meaning.body}`
          : [],
      );
      const { kind, ...said } = outcome;
      const body = JSON.stringify(outcome.kind === 'completed' ? outcome.data : said);
      if (!answers.includes(`${kind} ${body}`))
        yield {
          rule: 'the client told something else',
          what: `${name} was told ${kind} ${body}; the answers to key ${key} were\n${answers.join('\n')}`,
          operations: [name],
        };
    }
};
