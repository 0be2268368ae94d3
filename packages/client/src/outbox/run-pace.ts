import type { RetryPolicy } from '@trpc-once/contract';
import type { Bell } from '../attempts/bell.js';
import type { Closing } from '../attempts/closing.js';
import type { Holding } from './holding.js';

/** How long a run goes on and how fast; those who join it have a say in both. */
export interface RunPace {
  /** Epoch milliseconds after which no attempt is begun. */
  deadline(): number;
  /** Rings when somebody does not want to wait for a backoff. */
  readonly hurry: Bell;
  readonly holding: Holding;
  /** Of this run alone. */
  readonly closing: Closing;
  /** Whether it waits until the next attempt is due, which may be another tab's or process's, before its first. */
  readonly unhurried: boolean;
  /** Whether it only watches over what another tab or process does. */
  follows(): boolean;
  /** Whether nobody asked for it but time. */
  byTime(): boolean;
  /** That one is gone: from now on it is this run's to do. */
  stepIn(): void;
  /** Whether it is one of a crowd, and holds nothing until its turn has come: a thousand leases would do nothing but renew. */
  readonly crowded: boolean;
  /** Runs an attempt when it has its turn among those of a crowd. */
  turn<T>(attempt: () => Promise<T>): Promise<T>;
}

/** One attempt for time, which comes again; all of them as soon as somebody joins. */
export function policyOf(retry: RetryPolicy, byTime: RunPace['byTime']): RetryPolicy {
  return {
    ...retry,
    get maxAttempts() {
      return byTime() ? 1 : retry.maxAttempts;
    },
  };
}
