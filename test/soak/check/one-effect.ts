import type { Rule } from './case.js';
import { groupBy, idOf } from './history.js';

/** At most one effect for a key, and for an operation, whatever keys it was sent with. */
export const oneEffect: Rule = function* ({ evidence: { ledger } }) {
  const groups = [
    ...groupBy(ledger, (row) => `key ${idOf(row)}`),
    ...groupBy(ledger, ({ reference }) => `operation ${reference}`),
  ];
  for (const [what, rows] of groups)
    if (rows.length > 1)
      yield {
        rule: 'second effect',
        what: `${what} took effect ${rows.length} times: ledger rows ${rows.map(({ id }) => id).join(', ')}`,
        operations: [...new Set(rows.map(({ reference }) => reference))],
      };
};
