import type { RetryPolicy } from '@trpc-once/contract';
import { backoffMs, pollMs } from './backoff.js';
import type { Bell } from './bell.js';
import type { Again, Verdict } from './classify.js';
import type { Clock } from './clock.js';
import type { Closing } from './closing.js';
import type { Evidence } from './evidence.js';
import { pause } from './pause.js';
import type { RetryBudget } from './retry-budget.js';

export interface Attempted {
  readonly verdict: Verdict;
  /** What the verdict was read from; none when the attempt was not even begun. */
  readonly evidence?: Evidence | undefined;
}

export interface AskOptions {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  /** Evenly from 0 to 1, 1 excluded. */
  readonly random: () => number;
  /** Makes one attempt. */
  attempt(): Promise<Attempted>;
  /** Shared with every other operation of the origin. */
  readonly budget: Pick<RetryBudget, 'turn' | 'ended'>;
  /** Whether the first attempt here repeats an earlier one, of before a reload say. */
  readonly repeated: boolean;
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
  /** Of the last attempt; none when not even the first one had its turn. */
  readonly last: Again | undefined;
  /** Epoch milliseconds before which the server does not want to be asked. */
  readonly notBefore: number | undefined;
}

export interface Asked {
  readonly verdict: Exclude<Verdict, Again> | GaveUp;
  readonly evidence: Evidence | undefined;
}

/** An attempt that shall be repeated. */
interface AskedAgain {
  readonly again: Again;
  readonly evidence: Evidence | undefined;
}

/** Attempts and waits in turn until a verdict other than "again", or until the policy says enough. */
export async function askUntilAnswered(options: AskOptions): Promise<Asked> {
  const { budget, closing } = options;
  const spent = { failures: 0, polls: 0 };
  for (let last: AskedAgain | undefined; ; ) {
    const repeated = last !== undefined || options.repeated;
    if (repeated && !(await budget.turn(options, last === undefined))) {
      const reason = closing.closed ? 'closed' : 'wait-over';
      const verdict: GaveUp = { kind: 'gave-up', reason, last: last?.again, notBefore: undefined };
      return { verdict, evidence: last?.evidence };
    }
    let attempted: Attempted | undefined;
    try {
      attempted = await options.attempt();
    } finally {
      budget.ended(attempted && answered(attempted), repeated);
    }
    const { verdict, evidence } = attempted;
    if (verdict.kind !== 'again') return { verdict, evidence };
    last = { again: verdict, evidence };
    const gaveUp = await waitOrGiveUp(last, spent, options);
    if (gaveUp) return { verdict: gaveUp, evidence };
  }
}

/** Whether the server dealt with an attempt, as against failing at it; `undefined` for what tells nothing of the server. */
function answered({ verdict, evidence }: Attempted): boolean | undefined {
  if (!evidence || evidence.kind === 'withheld') return undefined;
  if (evidence.kind === 'silence')
    return evidence.why === 'headers' || evidence.why === 'closed' ? undefined : false;
  if (verdict.kind === 'again' && verdict.spends) return false;
  return evidence.answer ? true : undefined;
}

async function waitOrGiveUp(
  { again, evidence }: AskedAgain,
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
