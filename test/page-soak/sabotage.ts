/** Faults that are put into the pages on purpose, to see that the checker finds them. See visitor/sabotage-page.js. */
export const sabotages = {
  'new-keys': 'a page that makes a new key for every attempt',
  guess: 'a page that calls every answer that does not come a refusal',
  forgetful: 'a page whose outbox is not written to disk',
  hang: 'a page that does nothing any more once it sends an order',
  'other-account': 'a page that sends every repeated attempt with the credentials of the other account',
} as const;

export type Sabotage = keyof typeof sabotages;

export function isSabotage(name: string): name is Sabotage {
  return Object.hasOwn(sabotages, name);
}
