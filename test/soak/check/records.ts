import type { Rule } from './case.js';
import type { RecordRow } from './evidence.js';
import { groupBy, idOf } from './history.js';

/** Only what both halves agree on is settled: a completed record has its one effect, and an effect its record. */
export const recordsAndEffects: Rule = function* ({ history, evidence }) {
  const operationsOf = groupBy([...history.attempts.values()], idOf);
  const effectsOf = groupBy([...evidence.ledger], idOf);
  const seen = new Set<string>();
  for (const record of evidence.records) {
    const id = recordId(record);
    seen.add(id);
    const effects = effectsOf.get(id)?.length ?? 0;
    const operations = [...new Set(operationsOf.get(id)?.map(({ operation }) => operation))];
    const wrong = (what: string) => ({
      rule: 'record and effect disagree',
      what: `${id}: ${what}`,
      operations,
    });
    if (operations.length === 0) yield wrong('a record of a key that nobody sent');
    if (record.status === 'COMPLETED' && effects === 0) yield wrong('completed, without an effect');
    if (record.status === 'FAILED' && effects > 0) yield wrong('failed, with an effect');
    if (record.status !== 'COMPLETED' && record.status !== 'FAILED') yield wrong(`left ${record.status}`);
  }
  for (const [id, rows] of effectsOf)
    if (!seen.has(id))
      yield {
        rule: 'record and effect disagree',
        what: `${id}: an effect without a record`,
        operations: rows.map(({ reference }) => reference),
      };
};

/** The scope is stored as a JSON list. */
export function recordId({ scope, key }: Pick<RecordRow, 'scope' | 'key'>): string {
  const [principal = ''] = JSON.parse(scope) as string[];
  return idOf({ principal, key });
}
