import type { Rule } from './case.js';

/** States in which an operation has been written to disk. */
const KEPT = ['sending', 'waiting', 'parked', 'expired', 'settled', 'delivered'];

/** Every order that a page had kept has its outcome in the end, unless its owner had it removed. */
export const ended: Rule = function* ({ story, ledger }) {
  const { arrivals, sights, forgotten, left, hung } = story;
  // Nobody could mend what hung: what is under way there is not lost for that.
  if (hung.length > 0) return;
  const kept = new Set<string>();
  for (const { key } of arrivals) kept.add(key);
  for (const sight of sights)
    if (sight.kind === 'operation' && KEPT.includes(sight.state)) kept.add(sight.key);
  const placed = new Set(ledger.orders.map(({ cart }) => cart));
  const status = new Map(ledger.records.map((record) => [record.key, record.status]));
  for (const key of kept) {
    const ending = status.get(key);
    if (ending === undefined && !forgotten.has(key))
      yield { rule: 'lost', what: `cart ${key} was ordered and kept, and nothing came of it`, carts: [key] };
    if ((ending === 'COMPLETED') !== placed.has(key))
      yield {
        rule: 'records',
        what: `cart ${key}: record ${ending}, placed: ${placed.has(key)}`,
        carts: [key],
      };
  }
  for (const { visitor, what } of left)
    yield { rule: 'stranded', what: `${visitor}'s outbox did not come to its end: ${what}`, carts: [] };
};
