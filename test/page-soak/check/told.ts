import type { Sight } from '../story/story.js';
import { type Case, groupBy, type Rule, type Violation } from './case.js';
import { centsIn, type Meaning, meaningOf, meaningOfBadge } from './words.js';

/** What any page ever showed of an order is what the database says, and nothing else was shown. */
export const told: Rule = function* (found) {
  // The same words of the same order, shown again later, are true if they were before; but what is not so yet may be later.
  const sights = groupBy(found.story.sights, (sight) =>
    sight.kind === 'told'
      ? JSON.stringify([sight.cart, sight.of, sight.text])
      : JSON.stringify([sight.key, sight.badge]),
  );
  for (const same of sights.values()) yield* ofSight(same.at(-1)!, found);
};

function* ofSight(sight: Sight, found: Case): Iterable<Violation> {
  const isTold = sight.kind === 'told';
  const words = isTold ? sight.text : sight.badge;
  const meaning = isTold ? meaningOf(words) : meaningOfBadge(words);
  // What is no outcome is said of the cart that is shown.
  const cart = (isTold ? (sight.of ?? (meaning === 'not-so-far' ? sight.cart : '')) : sight.key) ?? '';
  const carts = [cart || (isTold ? sight.cart : '')];
  const wrong = (rule: string, why: string): Violation => ({
    rule,
    what: `tab ${sight.tab} of ${sight.visitor} showed "${words}" for ${carts[0]}, ${why}`,
    carts,
  });
  if (meaning === undefined) yield wrong('unknown words', 'which no page is known to say');
  else if (meaning !== 'open' && cart === '') yield wrong('unknown words', 'and not of which order');
  else {
    const why = contradiction(meaning, cart, { words: isTold ? words : undefined, at: sight.at }, found);
    if (why) yield wrong('told wrongly', why);
  }
}

function contradiction(
  meaning: Meaning,
  cart: string,
  { words, at }: { readonly words: string | undefined; readonly at: number },
  { story, ledger }: Case,
): string | undefined {
  const lines = ledger.orders.filter((order) => order.cart === cart);
  const statuses = ledger.records.filter(({ key }) => key === cart).map(({ status }) => status);
  switch (meaning) {
    case 'placed': {
      if (lines.length === 0) return 'and no such order exists';
      if (!words?.startsWith('Order placed')) return undefined;
      const cents = lines.reduce((sum, line) => sum + line.cents, 0);
      return centsIn(words) !== cents ? `and it came to ${cents} cents` : undefined;
    }
    case 'turned-down':
      if (lines.length > 0) return 'and the order exists';
      return statuses.includes('FAILED') ? undefined : 'and nothing of the kind is on record';
    case 'not-sent':
      return story.arrivals.some((one) => one.key === cart && one.at < at)
        ? 'though it had been sent'
        : undefined;
    case 'ordered-before':
      return statuses.length === 0 ? 'and nothing is on record' : undefined;
    case 'not-so-far':
      return lines.some((line) => line.at < at) ? 'and it had gone through by then' : undefined;
    case 'open':
      return undefined;
  }
}
