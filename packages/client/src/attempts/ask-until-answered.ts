import type { RetryPolicy } from '@trpc-once/contract';
import pRetry from 'p-retry';
import { backoffMs, pollMs } from './backoff.js';
import type { Bell } from './bell.js';
import type { Again, Verdict } from './classify.js';
import type { Clock } from './clock.js';
import type { Closing } from './closing.js';
import type { Evidence } from './evidence.js';

export interface Attempted {
  readonly verdict: Verdict;
  /** What the verdict was read from; none when the attempt was not even begun. */
  readonly evidence?: Evidence;
}

export interface AskOptions {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  /** Evenly from 0 to 1, 1 excluded. */
  readonly random: () => number;
  /** Makes one attempt. */
  attempt(): Promise<Attempted>;
  /** Epoch milliseconds after which no attempt is begun; asked anew each time, since a second caller can move it. */
  deadline(): number;
  /** Told before each wait. */
  waiting(next: {
    readonly again: Again;
    readonly evidence: Evidence | undefined;
    readonly nextAttemptAt: number;
    readonly notBefore: number | undefined;
  }): Promise<void>;
  /** Cuts a wait short; one that the server asked for is kept. */
  readonly hurry: Bell;
  /** Cuts a wait short and ends the asking. */
  readonly closing: Closing;
}

/** The asking stopped without a terminal answer. */
export interface GaveUp {
  readonly kind: 'gave-up';
  readonly reason: 'attempts-spent' | 'wait-over' | 'retry-later' | 'closed';
  readonly last: Again;
  /** Epoch milliseconds before which the server does not want to be asked. */
  readonly notBefore: number | undefined;
}

export interface Asked {
  readonly verdict: Exclude<Verdict, Again> | GaveUp;
  readonly evidence?: Evidence;
}

/** Attempts and waits in turn until a verdict other than "again", or until the policy says enough. */
export async function askUntilAnswered(options: AskOptions): Promise<Asked> {
  const spent = { failures: 0, polls: 0 };
  let gaveUp: Asked | undefined;
  try {
    // p-retry only drives. It counts no attempts: with none left it stops even for an answer that shall not count.
    // It adds no delay: its jitter vanishes at the cap. It gets no signal: one that is aborted during a good attempt
    // makes it throw the answer away.
    return await pRetry(
      async () => {
        const { verdict, evidence } = await options.attempt();
        if (verdict.kind === 'again') throw new AskAgain(verdict, evidence);
        return { verdict, ...(evidence && { evidence }) };
      },
      {
        retries: Number.POSITIVE_INFINITY,
        minTimeout: 0,
        factor: 1,
        async shouldRetry({ error }) {
          if (!(error instanceof AskAgain)) return false;
          const verdict = await waitOrGiveUp(error, spent, options);
          if (verdict) gaveUp = { verdict, ...(error.evidence && { evidence: error.evidence }) };
          return !verdict;
        },
      },
    );
  } catch (error) {
    if (gaveUp) return gaveUp;
    throw error;
  }
}

async function waitOrGiveUp(
  { again, evidence }: AskAgain,
  spent: { failures: number; polls: number },
  { policy, clock, random, hurry, closing, deadline, waiting }: AskOptions,
): Promise<GaveUp | undefined> {
  const now = clock.now();
  const retryAfterMs = evidence?.kind === 'answer' ? evidence.retryAfterMs : undefined;
  const notBefore = retryAfterMs === undefined ? undefined : now + retryAfterMs;
  const giveUp = (reason: GaveUp['reason']): GaveUp => ({ kind: 'gave-up', reason, last: again, notBefore });
  const delayMs = again.spends
    ? backoffMs(++spent.failures, policy, random, retryAfterMs)
    : pollMs(++spent.polls, policy, random, retryAfterMs);
  if (closing.closed) return giveUp('closed');
  if (notBefore !== undefined && notBefore > deadline()) return giveUp('retry-later');
  if (spent.failures >= policy.maxAttempts) return giveUp('attempts-spent');
  if (now + delayMs > deadline()) return giveUp('wait-over');
  await waiting({ again, evidence, nextAttemptAt: now + delayMs, notBefore });
  await pause(delayMs, clock, closing, hurry);
  if (notBefore !== undefined) await pause(notBefore - clock.now(), clock, closing);
  return closing.closed ? giveUp('closed') : undefined;
}

/** Waits, or less when a bell rings; not at all when there is nothing left to wait for. */
export function pause(delayMs: number, clock: Clock, closing: Closing, hurry?: Bell): Promise<void> {
  if (delayMs <= 0 || closing.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      for (const callOff of waits) callOff();
      resolve();
    };
    const waits = [clock.after(delayMs, end), closing.on(end), ...(hurry ? [hurry.on(end)] : [])];
  });
}

class AskAgain extends Error {
  readonly again: Again;
  readonly evidence: Evidence | undefined;
  constructor(again: Again, evidence: Evidence | undefined) {
    super(again.reason);
    this.again = again;
    this.evidence = evidence;
  }
}
