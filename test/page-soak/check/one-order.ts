import { groupBy, type Rule } from './case.js';

/** A cart is one order at most: each of its lines once, each charged once, all to one account, and no line without the others. */
export const oneOrder: Rule = function* ({ story, ledger }) {
  for (const [cart, rows] of groupBy(ledger.orders, ({ cart }) => cart)) {
    const lines = groupBy(rows, ({ line }) => String(line));
    if (lines.size < rows.length)
      yield { rule: 'second order', what: `cart ${cart} was ordered more than once`, carts: [cart] };
    const notOnce = rows.filter(({ charges }) => charges !== 1);
    if (notOnce.length > 0)
      yield {
        rule: 'not charged once',
        what: `${notOnce.length} lines of cart ${cart} were charged ${notOnce[0]!.charges} times`,
        carts: [cart],
      };
    if (new Set(rows.map(({ account }) => account)).size > 1)
      yield { rule: 'two accounts', what: `cart ${cart} was charged to two accounts`, carts: [cart] };
    const wanted = new Set(
      story.arrivals.filter(({ key }) => key === cart).map(({ body }) => linesOf(body).length),
    );
    if (!wanted.has(lines.size))
      yield {
        rule: 'part of a cart',
        what: `cart ${cart} has ${lines.size} lines on record, and was sent with ${[...wanted]}`,
        carts: [cart],
      };
  }
};

function linesOf(body: string): unknown[] {
  return JSON.parse(body).lines;
}
