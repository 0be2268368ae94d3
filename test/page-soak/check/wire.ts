import type { Arrival } from '../story/story.js';
import { groupBy, type Rule } from './case.js';

/** What left the browsers: one key a cart, the same bytes with a key every time, and its owner's credentials with it. */
export const wire: Rule = function* ({ story: { arrivals, taps, forgotten } }) {
  for (const [cart, sent] of groupBy(arrivals, ({ body }) => String(JSON.parse(body).reference))) {
    const keys = new Set(sent.map(({ key }) => key));
    if (keys.size > 1 || !keys.has(cart))
      yield { rule: 'second key', what: `cart ${cart} was sent with the keys ${[...keys]}`, carts: [cart] };
  }
  for (const [key, sent] of groupBy(arrivals, ({ key }) => key)) {
    const carts = [key];
    if (!forgotten.has(key) && changesUnderWay(sent))
      yield {
        rule: 'other bytes',
        what: `key ${key} was sent with other bytes before its outcome was known`,
        carts,
      };
    // One on whom another tab's sign-in was lost orders nothing.
    const mine = taps.filter(({ cart, account, signedIn }) => cart === key && account === signedIn);
    if (mine.length === 0)
      yield { rule: 'nobody tapped', what: `key ${key} was sent, and its cart never ordered`, carts };
    // Whose session has ended sends none.
    const other = sent.find(
      ({ authorization }) =>
        authorization !== '' && mine.every(({ account }) => authorization !== `Bearer ${account}`),
    );
    if (other && mine.length > 0)
      yield {
        rule: 'other credentials',
        what: `key ${key}, of ${mine[0]!.account}, was sent with "${other.authorization}"`,
        carts,
      };
  }
};

/**
 * A key may meet other bytes only when its operation is over: a browser that was killed can come back with a cart from before,
 * which its owner then fills otherwise. The server tells the two apart.
 */
function changesUnderWay(sent: readonly Arrival[]): boolean {
  return sent.some(({ at, body }, index) => {
    const before = sent.slice(0, index);
    if (index === 0 || before.at(-1)!.body === body) return false;
    const isBack = before.some((one) => one.body === body);
    const isOver = before.some(({ answer }) => answer?.settlement !== undefined && answer.at <= at);
    return isBack || !isOver;
  });
}
