import type { Damage } from '../mishaps/damage.js';
import type { Mishap } from '../mishaps/mishap-schedule.js';
import type { Moments } from '../mishaps/moments.js';
import type { MakeHappen } from '../mishaps/run-mishaps.js';
import type { AnswerTally } from './answer-tally.js';

export interface ServersOptions {
  readonly moments: Moments;
  readonly damage: Damage;
  /** Told when a server answers at another address than before. */
  readonly onMoved: (urls: readonly string[]) => void;
  /** Told when a server ended that nobody had ended. */
  readonly onFailure: (error: Error) => void;
}

/** The shop's servers while the drill runs: one in this process, or two in processes of their own. */
export interface Servers extends AsyncDisposable {
  readonly urls: readonly string[];
  readonly tally: AnswerTally;
  /** What can befall them. */
  readonly actions: Readonly<Partial<Record<Mishap, MakeHappen>>>;
  /** Lets them finish what they have in hand; when this resolves, nothing writes to the database any more. */
  stop(): Promise<void>;
}
