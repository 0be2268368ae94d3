import { randomFrom } from '@trpc-once/faulty-network';

/** What befalls whole processes and their connections, besides the faults of single requests. */
export type Mishap =
  | 'client-killed'
  | 'server-killed'
  | 'server-cut-off'
  | 'postgres-cut'
  | 'commit-unanswered'
  | 'redis-away';

export interface PlannedMishap {
  readonly mishap: Mishap;
  /** When: as the share of operations whose outcome is known by then, in (0, 1). */
  readonly at: number;
  /** How long after a request has gone out, in milliseconds: so that a process dies at another point each time. */
  readonly afterMs: number;
}

/** A call takes some 5 to 20 ms, so a kill within these finds it anywhere between claim and answer. */
const MOST_AFTER_MS = 12;

/**
 * Puts mishaps into a seeded order, spread over the run. The last comes well before the end, while there is still work
 * that it can hit.
 */
export function mishapSchedule(seed: number, mishaps: readonly Mishap[]): readonly PlannedMishap[] {
  const random = randomFrom('mishaps', seed, mishaps.join());
  return mishaps
    .map((mishap) => ({ mishap, turn: random() }))
    .sort((one, other) => one.turn - other.turn)
    .map(({ mishap }, index) => ({
      mishap,
      at: (0.85 * (index + 0.2 + 0.8 * random())) / mishaps.length,
      afterMs: random() * MOST_AFTER_MS,
    }));
}
