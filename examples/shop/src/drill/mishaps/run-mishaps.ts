import type { Milestones } from './milestones.js';
import type { Mishap, PlannedMishap } from './mishap-schedule.js';

/** Makes a mishap happen, and resolves when what was broken works again. */
export type MakeHappen = (afterMs: number) => Promise<void>;

export interface MishapOptions {
  readonly schedule: readonly PlannedMishap[];
  readonly actions: Readonly<Partial<Record<Mishap, MakeHappen>>>;
  readonly milestones: Milestones;
  /** How many operations there are in all. */
  readonly of: number;
  /** Resolves when all operations have their outcome: what has not happened by then does not happen. */
  readonly over: Promise<unknown>;
}

/** One after the other, so that never everything is broken at once. */
export async function runMishaps({ schedule, actions, milestones, of, over }: MishapOptions): Promise<void> {
  let isOver = false;
  const end = over.then(() => {
    isOver = true;
  });
  for (const { mishap, at, afterMs } of schedule) {
    await Promise.race([milestones.reached(Math.floor(at * of)), end]);
    if (isOver) return;
    await actions[mishap]?.(afterMs);
  }
}
