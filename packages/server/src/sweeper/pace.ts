/** How fast a sweep goes. */
export interface Pace {
  /** A clock that only runs forward, in milliseconds. */
  now(): number;
  /** Lets the database breathe after a batch that took so long; ends at once when `stop` does. */
  rest(tookMs: number, stop: AbortSignal): Promise<void>;
}

/** One batch that was held up for seconds does not end the sweep for an hour. */
const LONGEST_REST_MS = 60_000;

/**
 * At work for this share of the time. A rest as long as the work in proportion, not a fixed one: where the database is
 * busy batches take longer, and so does each rest.
 */
export function pacedBy(share: number): Pace {
  return {
    now: () => performance.now(),
    rest: (tookMs, stop) => sleep(Math.min(tookMs / share - tookMs, LONGEST_REST_MS), stop),
  };
}

/** Resolves when time is up or `stop` says so. */
export function sleep(ms: number, stop: AbortSignal, { ref = true } = {}): Promise<void> {
  if (stop.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stop.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (!ref) timer.unref();
    stop.addEventListener('abort', end);
  });
}
