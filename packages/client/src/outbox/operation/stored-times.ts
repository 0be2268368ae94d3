import type { Operation } from './operation.js';

// Times that a record names, for a clock that may have been set back since they were said.

/** How long the one who is followed may be late before a follower steps in: its timers may be slowed to one a second. */
const FOLLOWS_AFTER_MS = 3_000;

/** Until when the server wants to be left alone: never longer from now than it asked for. */
export function leftAloneUntil({ notBefore = 0, notes }: Operation, now: number): number {
  return Math.min(notBefore, now + notBefore - (notes.at(-1)?.at ?? 0));
}

/** When the next attempt is due, for one that follows a little later; `undefined` for now. */
export function dueAt(
  { nextAttemptAt, notes }: Operation,
  follows: boolean,
  now: number,
): number | undefined {
  if (nextAttemptAt === undefined || now < (notes.at(-1)?.at ?? 0)) return undefined;
  const due = nextAttemptAt + (follows ? FOLLOWS_AFTER_MS : 0);
  return due > now ? due : undefined;
}

/**
 * Until when it is parked because the server put it off. By a clock that was set back since nobody can tell; then it is
 * over, and the server may say so anew.
 */
export function putOffUntil({ parked, notBefore = 0, notes }: Operation, now: number): number {
  return parked !== 'retry-later' || now < (notes.at(-1)?.at ?? 0) ? 0 : notBefore;
}
