import type { Sabotage } from './sabotage.js';

/** How a soak is run. */
export interface Plan {
  /** No new round begins after this long, in milliseconds. One is always done. */
  readonly actMs: number;
  /** What is drawn: steps and moments. What meets what is up to the machine. */
  readonly seed: number;
  /** Browser profiles. */
  readonly visitors: number;
  /** How many things each visitor does until the next quiet point: counted, so that a seed means the same on a busy machine. */
  readonly stepsInRound: number;
  /** What takes longer than this, in milliseconds, hangs, which is a violation. @default HANG_MS of ./run-page-soak.js */
  readonly hangMs?: number;
  /** Puts a fault into the pages. */
  readonly sabotage?: Sabotage | undefined;
}
