import {
  type Asked,
  type Attempted,
  askUntilAnswered,
  type GaveUp,
  pause,
} from '../attempts/ask-until-answered.js';
import type { Bell } from '../attempts/bell.js';
import { classify, type Verdict } from '../attempts/classify.js';
import type { Clock } from '../attempts/clock.js';
import type { Closing } from '../attempts/closing.js';
import type { Evidence } from '../attempts/evidence.js';
import type { RetryBudget } from '../attempts/retry-budget.js';
import type { Attempt } from '../attempts/send-attempt.js';
import type { Session } from '../attempts/session.js';
import type { ParkReason } from '../errors/operation-parked-error.js';
import type { UnknownReason } from '../errors/outcome-unknown-error.js';
import type { AttemptEnd, Operation } from './operation.js';
import type { StoredOperations } from './stored-operations.js';
import { type Ended, transition } from './transition.js';

/** What a run needs of the world. */
export interface RunPorts {
  readonly store: StoredOperations;
  readonly clock: Clock;
  readonly random: () => number;
  readonly closing: Closing;
  /** Who is signed in now. */
  owner(): string | null;
  /** Whether this version of the app still has the procedure. */
  knows(path: string): boolean;
  send(attempt: Attempt): Promise<Evidence>;
  readonly session: Session;
  readonly budget: RetryBudget;
}

/** How long a run goes on and how fast; those who join it have a say in both. */
export interface RunPace {
  /** Epoch milliseconds after which no attempt is begun. */
  deadline(): number;
  /** Rings when somebody does not want to wait for a backoff. */
  readonly hurry: Bell;
}

/** How a run left its operation, and the evidence for it. */
export type RunEnd = { readonly operation: Operation; readonly evidence?: Evidence | undefined } & (
  | { readonly kind: 'settled' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'parked'; readonly reason: ParkReason }
  | { readonly kind: 'unknown'; readonly reason: UnknownReason; readonly cause?: unknown }
  /** Storage refused the operation before anything could be sent; it is not kept. */
  | { readonly kind: 'not-stored'; readonly cause: unknown }
);

/** Asks for one operation's outcome, from wherever it stands, and stores every step. One at a time for an operation. */
export async function runOperation(
  operation: Operation,
  { deadline, hurry }: RunPace,
  ports: RunPorts,
): Promise<RunEnd> {
  const { store, clock, closing } = ports;
  const waitMs = (operation.notBefore ?? 0) - clock.now();
  if (waitMs > 0) {
    if (clock.now() + waitMs > deadline()) return { kind: 'unknown', reason: 'retry-later', operation };
    await pause(waitMs, clock, closing);
    if (closing.closed) return { kind: 'unknown', reason: 'closed', operation };
  }
  let now = operation;
  let renewed = false;
  const attempt = async (): Promise<Attempted> => {
    const held = holdBack(now, ports);
    if (held) return { verdict: held };
    now = store.note(transition(now, { to: 'sending' }));
    const { renewals } = ports.session;
    const evidence = await send(now, ports);
    const verdict = classify(evidence);
    const refused = verdict.kind === 'park' && verdict.reason === 'unauthorized';
    if (!refused || renewed) return { verdict, evidence };
    renewed = true;
    if (!(await ports.session.renewedSince(renewals))) return { verdict, evidence };
    const after = ended('unauthorized', evidence, clock);
    now = store.note(transition(now, { to: 'waiting', after, mayHaveRun: false }));
    return attempt();
  };
  const asked = await askUntilAnswered({
    policy: operation.retry,
    clock,
    random: ports.random,
    hurry,
    closing,
    deadline,
    attempt,
    budget: ports.budget,
    repeated: operation.attempts > 0 || operation.mayHaveRun,
    async waiting({ again: { reason, mayHaveRun }, evidence, ...times }) {
      const after = ended(reason, evidence, clock);
      now = await store.save(transition(now, { to: 'waiting', after, mayHaveRun, ...times }));
    },
  });
  return conclude(now, asked, ports);
}

/** Why an operation must not be sent as things stand; looked at again before every attempt. */
function holdBack(operation: Operation, { owner, knows, clock }: RunPorts): Verdict | undefined {
  if (owner() !== operation.owner) return { kind: 'park', reason: 'owner-changed' };
  if (!knows(operation.path)) return { kind: 'park', reason: 'path-gone' };
  if (clock.now() - operation.firstSentAt >= operation.retentionMs) return { kind: 'expired' };
  return undefined;
}

function send({ key, path, body, retry, firstSentAt, owner }: Operation, ports: RunPorts): Promise<Evidence> {
  return ports.send({
    key,
    path,
    body,
    ageMs: ports.clock.now() - firstSentAt,
    timeoutMs: retry.attemptTimeoutMs,
    mayLeave: () => ports.owner() === owner,
    closing: ports.closing,
  });
}

/** Stores what the asking came to. */
async function conclude(
  operation: Operation,
  { verdict, evidence }: Asked,
  { store, clock }: RunPorts,
): Promise<RunEnd> {
  const after = (how: AttemptEnd) => ended(how, evidence, clock);
  const settle = async (how: AttemptEnd): Promise<RunEnd> => {
    const answer = evidence?.kind === 'answer' ? evidence.text : '';
    const settled = transition(operation, { to: 'settled', after: after(how), answer });
    return { kind: 'settled', operation: await store.save(settled), evidence };
  };
  switch (verdict.kind) {
    case 'settled':
      return settle(evidence?.kind === 'answer' && evidence.replayed ? 'replayed' : 'settled');
    case 'declined': {
      if (verdict.certain || !operation.mayHaveRun) return settle('declined');
      const parked = transition(operation, { to: 'parked', reason: 'declined', after: after('declined') });
      return { kind: 'unknown', reason: 'declined', operation: await store.save(parked), evidence };
    }
    case 'park': {
      const { reason } = verdict;
      const parked = transition(operation, { to: 'parked', reason, after: after(reason) });
      return { kind: 'parked', reason, operation: await store.save(parked), evidence };
    }
    case 'expired': {
      const expired = transition(operation, { to: 'expired', after: after('expired') });
      return { kind: 'expired', operation: await store.save(expired), evidence };
    }
    case 'gave-up':
      return {
        kind: 'unknown',
        reason: verdict.reason,
        operation: await store.save(leave(operation, verdict, verdict.last && after(verdict.last.reason))),
        evidence,
      };
  }
}

function leave(operation: Operation, gaveUp: GaveUp, after: Ended | undefined): Operation {
  // Given up during a wait: its last attempt is noted already.
  if (operation.state !== 'sending') return operation;
  const { reason, notBefore } = gaveUp;
  const mayHaveRun = gaveUp.last?.mayHaveRun ?? true;
  return reason === 'retry-later'
    ? transition(operation, { to: 'parked', reason, after, mayHaveRun, notBefore })
    : transition(operation, { to: 'waiting', after, mayHaveRun, notBefore });
}

function ended(how: AttemptEnd, evidence: Evidence | undefined, clock: Clock): Ended | undefined {
  return (
    evidence && {
      ended: how,
      at: clock.now(),
      status: evidence.kind === 'answer' ? evidence.status : undefined,
    }
  );
}
