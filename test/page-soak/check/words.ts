/** What something that the page says means. */
export type Meaning = 'placed' | 'turned-down' | 'not-sent' | 'ordered-before' | 'open';

const told: readonly (readonly [RegExp, Meaning])[] = [
  [/^$/, 'open'],
  [/^Ordering…$/, 'open'],
  [/^Asking for the .* time…$/, 'open'],
  [/^No outcome yet\. The same order is asked for again\.$/, 'open'],
  [/^We do not know yet whether the order went through\. It is kept\. Ask again$/, 'open'],
  [/^The order is kept, and goes on when you have signed in again\.$/, 'open'],
  [/^This cart was ordered before it was changed; that order is under way\.$/, 'open'],
  [/^This order is too old to be asked for: /, 'open'],
  [/^Order placed: €[\d,.]+, charged once\.$/, 'placed'],
  [/^Not placed: only \d+ of [\w-]+ are left\. Nothing was charged\.( Order it anew)?$/, 'turned-down'],
  [/^Not placed: Nothing was sent of /, 'not-sent'],
  [/^This cart had been ordered before it was changed: /, 'ordered-before'],
];

/** What the line under the button means; `undefined` for words that the page is not known to have. */
export function meaningOf(text: string): Meaning | undefined {
  return told.find(([words]) => words.test(text))?.[1];
}

/** What an operation's badge means. */
export const badges: Readonly<Record<string, Meaning>> = {
  'Asking the shop': 'open',
  'No outcome yet': 'open',
  'Not known yet': 'open',
  'Waits for a sign-in': 'open',
  'Kept for later': 'open',
  'Too old to ask again': 'open',
  Placed: 'placed',
  'Turned down': 'turned-down',
  'Ordered before': 'ordered-before',
};

/** In `Order placed: €1,007.49, charged once.` */
export function centsIn(text: string): number {
  return Math.round(Number(/€([\d,.]+\d)/.exec(text)?.[1]?.replaceAll(',', '')) * 100);
}
