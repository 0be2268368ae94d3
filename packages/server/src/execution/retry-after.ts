/** Never asks to come back sooner than a round trip takes, nor later than a person waits. */
const LEAST_MS = 200;
const MOST_MS = 2_000;

/** With nothing known about the run in progress. */
export const UNKNOWN_AGE_MS = 500;

/** When a store failed: time for a failover to begin, and for a breaker to close. */
export const STORE_RETRY_MS = 1_000;

/**
 * When to ask again for an operation in progress: after as long as it has been running, so that a quick call is asked
 * for soon and a slow one ever more rarely, and no later than its lease can end.
 */
export function retryAfterInProgress(ageMs: number, leftMs: number): number {
  return Math.round(Math.max(LEAST_MS, Math.min(ageMs, leftMs, MOST_MS)));
}
