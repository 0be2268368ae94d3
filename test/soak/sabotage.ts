/** Faults that are put in on purpose, to see that the checker finds them. */
export const sabotages = {
  'no-fence': 'records that keep no second run out: no hold, no look-up, and the row that is there is let be',
  guess: 'a server that calls every COMMIT without an answer rolled back',
  forgetful: 'a Postgres that acknowledges commits before they are written',
  'new-keys': 'a client that makes a new key for every attempt',
} as const;

export type Sabotage = keyof typeof sabotages;

export function isSabotage(name: string): name is Sabotage {
  return Object.hasOwn(sabotages, name);
}
