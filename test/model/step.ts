import type { World } from './world.js';

export interface Step {
  readonly name: string;
  readonly world: World;
  /** What the attempt itself sees of the step; nothing where it sees nothing. */
  readonly sees?: Seen;
  /** What must have happened to the stores for it; nothing where it may always come. */
  readonly trouble?: Trouble;
}

export type Trouble =
  /** Redis was flushed, or failed over, or a lease ended. */
  | 'redis forgets'
  | 'redis out of reach'
  | 'postgres out of reach'
  /** Transactions are REPEATABLE READ or SERIALIZABLE by default. */
  | 'snapshots';

/** An answer of a store, as an attempt gets it. */
export type Seen =
  | `claim ${'ACQUIRED' | 'IN_PROGRESS' | 'SETTLED' | 'UNAVAILABLE'}`
  | `transact ${'found' | 'busy' | 'fenced' | 'settled' | 'threw' | 'unknown'}`
  | 'begun'
  | 'ran'
  | `read ${'found' | 'nothing' | 'threw'}`
  | `probe ${'found' | 'absent' | 'busy' | 'threw'}`
  | 'release'
  | 'settle';

/** Ways of getting it wrong, to show that the exploration would notice. */
export type Mistake =
  | 'none'
  /** A lost COMMIT is looked up without the hold. */
  | 'look-up-without-hold'
  /** A lost COMMIT is called released. */
  | 'guess-released'
  /** A lost COMMIT is looked up in the transaction that takes the hold, whose snapshot may be older than the commit. */
  | 'look-up-in-an-old-snapshot'
  /** Transactions take no hold: the fence keeps the effects apart, but nobody can find out about a lost COMMIT. */
  | 'no-hold'
  /** The record's key does not refuse a second one. */
  | 'no-fence'
  /** An attempt that was fenced answers what its own handler returned. */
  | 'answer-from-the-handler'
  /** Redis is told an outcome before it is committed. */
  | 'tell-before-commit'
  /** The sweeper does not look whether retention is over. */
  | 'sweep-before-retention';
