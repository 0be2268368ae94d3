/**
 * How long nothing may have failed before an outage is over, in milliseconds: where some calls fail and others do not, a
 * used-up pool say, each of them would begin and end one.
 */
const QUIET_MS = 3_000;

/** Different errors said of one outage; what begins as a refused connection may go on as a wrong password. */
const MOST_REASONS = 10;

export interface Outage {
  /** Whether this is to be said: the outage begins with it, or it fails for another reason now. */
  failed(reason: string): boolean;
  /** What the outage was, once it is over; told once. */
  works(): { readonly failures: number; readonly ms: number } | undefined;
}

/** works → failing → (nothing failed for a while, and something works) → works. */
export function outage(now: () => number): Outage {
  let current: { since: number; last: number; failures: number; reasons: Set<string> } | undefined;
  return {
    failed(reason) {
      current ??= { since: now(), last: 0, failures: 0, reasons: new Set() };
      current.last = now();
      current.failures++;
      if (current.reasons.has(reason) || current.reasons.size >= MOST_REASONS) return false;
      current.reasons.add(reason);
      return true;
    },
    works() {
      if (!current || now() - current.last < QUIET_MS) return undefined;
      const { failures, since, last } = current;
      current = undefined;
      return { failures, ms: last - since };
    },
  };
}
