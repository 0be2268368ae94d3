/** Faults that are put into the fleet's apps on purpose, to see that the checker finds them; and the rule that must. */
export const appSabotages = {
  'new-keys': { what: 'every attempt is sent with a key of its own', rule: 'second key' },
  'forgetful-outbox': { what: 'writes are acknowledged, and lost with the process', rule: 'lost' },
  'wrong-credentials': {
    what: 'now and then headers are those of who was signed in before',
    rule: "another's credentials",
  },
  'no-lanes': { what: 'operations of a lane are called without it', rule: 'out of line' },
  'called-failed': {
    what: 'an unknown outcome is told as one that was never sent',
    rule: 'sent all the same',
  },
  'caller-first': { what: 'outcomes are told to callers only', rule: 'told before it was noted' },
} as const;

export type AppSabotage = keyof typeof appSabotages;

export function isAppSabotage(name: string): name is AppSabotage {
  return Object.hasOwn(appSabotages, name);
}
