/**
 * What there is while any number of attempts work at one operation. Postgres is modelled by its own rules: one record a
 * key; a hold that belongs to an open transaction; a commit makes the record visible and lets go of the hold in one step.
 * Redis is modelled as something that may forget at any moment, and hear words that were said long ago.
 */
export interface World {
  readonly attempts: readonly Attempt[];
  /** The record: whose outcome settled. */
  readonly record: number | null;
  /** Which attempt's transaction holds the operation. */
  readonly hold: number | null;
  readonly orphan: Orphan | null;
  readonly redis: { readonly heldBy: number } | { readonly settled: number } | null;
}

/** A transaction on the server that its client has lost sight of. */
export interface Orphan {
  readonly by: number;
  /** Whether its COMMIT was sent, and may yet be carried out. */
  readonly committing: boolean;
}

export interface Attempt {
  readonly stage: Stage;
  readonly answer?: Answer;
  /** `unheard`: it asked for the claim and went on without an answer; it may be granted it at any time. */
  readonly claim: 'none' | 'held' | 'unheard';
  /** Its connection is gone and it does not know yet. */
  readonly cut: boolean;
}

/** Where an attempt stands. */
export type Stage =
  | 'arrived'
  /** Another has the claim. */
  | 'refused'
  /** It has the claim, or goes on without one. */
  | 'claimed'
  /** Its transaction is open and has the hold. */
  | 'begun'
  /** The handler is over, well or badly. */
  | 'ran'
  /** Its COMMIT was carried out and it has not heard so. */
  | 'committing'
  /** The connection is gone and nothing is known of the COMMIT. */
  | 'commit-unknown'
  /** Another's record was there first. */
  | 'fenced'
  /** Its transaction is lost, perhaps long before it noticed, and another may have settled since. */
  | 'lost'
  /** It knows its answer, and gives up its claim first. */
  | 'releasing'
  /** It has an outcome to answer with, and may still tell the claim store. */
  | 'answered'
  | 'done'
  | 'crashed';

/** All but `unknown` and an outcome say that nothing of this attempt took effect. */
export type Answer = 'in-progress' | 'released' | 'unknown' | { readonly outcomeOf: number };

export function initialWorld(attempts: number): World {
  return {
    attempts: Array.from({ length: attempts }, () => ({ stage: 'arrived', claim: 'none', cut: false })),
    record: null,
    hold: null,
    orphan: null,
    redis: null,
  };
}

export function attemptOf(world: World, n: number): Attempt {
  return world.attempts[n] as Attempt;
}

export function set(world: World, n: number, change: Partial<Attempt>): World {
  const attempts = world.attempts.map((attempt, at) => (at === n ? { ...attempt, ...change } : attempt));
  return { ...world, attempts };
}

/** Ends a transaction without its writes. What the client lost sight of ends by itself. */
export function rollBack(world: World, n: number): World {
  return { ...world, hold: world.hold === n && world.orphan?.by !== n ? null : world.hold };
}

/** Leaves the transaction to the server, which finds out in its own time. */
export function orphaned(world: World, n: number, committing: boolean): World {
  return { ...world, orphan: { by: n, committing } };
}

/** A transaction that finds out about a lost COMMIT holds the operation for a moment. */
export function isHeld({ hold, attempts }: World, n: number): boolean {
  return hold !== null || attempts.some(({ stage }, other) => other !== n && stage === 'commit-unknown');
}

/** Answers that nothing of this attempt took effect; first gives up the claim, where it has one. */
export function giveUp(world: World, n: number, told: Answer): World {
  return answer(world, n, told, attemptOf(world, n).claim === 'held' ? 'releasing' : 'done');
}

export function answer(world: World, n: number, told: Answer, stage: Stage): World {
  return set(world, n, { stage, answer: told });
}
