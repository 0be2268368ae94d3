import { defaultRetryPolicy, type RetryPolicy } from '@trpc-once/contract';
import type { Bell } from '../../attempts/bell.js';
import type { Closing } from '../../attempts/closing.js';
import type { Operation } from '../operation/operation.js';
import type { Holding } from '../others/others.js';
import type { RunEnd } from './run-end.js';

/** An operation that is being asked for; those who join have a say in how long and how fast. */
export interface Run {
  /** As it was when this began. */
  readonly operation: Operation;
  /** Epoch milliseconds after which no attempt is begun; infinite while it follows. */
  deadline: number;
  /** Whether it only watches over what another tab or process does, and steps in when that stops. */
  follows: boolean;
  /** Whether nobody asked for it but time. */
  byTime: boolean;
  /** Whether it waits until the next attempt is due, which may be another tab's or process's, before its first. */
  readonly unhurried: boolean;
  /** Rings when somebody does not want to wait for a backoff. */
  readonly hurry: Bell;
  /** Of this run alone. */
  readonly closing: Closing;
  readonly holding: Holding;
  /** Whether it is one of a crowd, and holds nothing until its turn has come: a thousand leases would do nothing but renew. */
  readonly crowded: boolean;
  /** Runs an attempt when it has its turn among those of a crowd. */
  turn<T>(attempt: () => Promise<T>): Promise<T>;
  /** Until its operation is in storage: when it is; rejected when storage refuses. */
  kept: Promise<void> | undefined;
  /** When what became of it is known and stored; nobody may have heard yet. */
  asked: Promise<RunEnd>;
  ended: Promise<RunEnd>;
}

/**
 * The least time a run goes on. It does not end with its callers' patience: an app that waits for 5 s only to say "we
 * will tell you" means it.
 */
export const LEAST_RUN_MS = defaultRetryPolicy.waitMs;

/** One attempt for time, which comes again; all of them as soon as somebody joins. */
export function policyOf(run: Run): RetryPolicy {
  const { retry } = run.operation;
  return {
    ...retry,
    get maxAttempts() {
      return run.byTime ? 1 : retry.maxAttempts;
    },
  };
}
