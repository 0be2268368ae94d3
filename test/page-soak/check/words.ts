/** What something that the page says means. */
export type Meaning = 'placed' | 'turned-down' | 'not-sent' | 'ordered-before' | 'not-so-far' | 'open';

const told: readonly (readonly [RegExp, Meaning])[] = [
  [/^$/, 'open'],
  [/^Order placed: €[\d,.]+, charged once\.$/, 'placed'],
  [/^Not placed: (nothing|only \d+) left of .+\. Nothing was charged\.$/, 'turned-down'],
  [/^Not placed: Nothing was sent of /, 'not-sent'],
  [/^This cart had been ordered before it was changed: /, 'ordered-before'],
  [/The order went through: it is among your orders on record\./, 'placed'],
  [/nothing was charged so far\.|The order has not gone through so far\./, 'not-so-far'],
  [/^The order is (kept on this device, and )?on its way\./, 'open'],
  [/^(No outcome yet|Not known yet|Kept for later|Too old to ask again)\./, 'open'],
  [/^The shop (no longer knows who you are|asks for patience|would not answer just now)\./, 'open'],
];

/** What the line under the button means; `undefined` for words that the page is not known to have. */
export function meaningOf(text: string): Meaning | undefined {
  return told.find(([words]) => words.test(text))?.[1];
}

const badges: Readonly<Record<string, Meaning>> = {
  persisted: 'open',
  sending: 'open',
  waiting: 'open',
  'outcome unknown': 'open',
  expired: 'open',
  'settled: placed': 'placed',
  'settled: turned down': 'turned-down',
  'declined: ordered before': 'ordered-before',
};

/** What an operation's badge means. */
export function meaningOfBadge(text: string): Meaning | undefined {
  return /^parked: [\w-]+$/.test(text) ? 'open' : badges[text];
}

/** In `Order placed: €1,007.49, charged once.` */
export function centsIn(text: string): number {
  return Math.round(Number(/€([\d,.]+\d)/.exec(text)?.[1]?.replaceAll(',', '')) * 100);
}
