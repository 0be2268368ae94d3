import { readIdempotency } from '@trpc-once/contract';
import { type IntentConflictError, isIntentConflict } from '../errors/intent-conflict-error.js';
import { keyOf } from '../errors/key-of.js';
import { isOperationExpired } from '../errors/operation-expired-error.js';
import { isOperationParked } from '../errors/operation-parked-error.js';
import { isOutcomeUnknown } from '../errors/outcome-unknown-error.js';
import type { Operation } from '../outbox/operation/operation.js';
import {
  idle,
  type OperationOutcome,
  type OperationProgress,
  type OperationView,
  type WhyOpen,
} from './operation-view.js';

/** How an operation ended for this hook. */
export type Ended =
  | { readonly state: 'settled'; readonly outcome: OperationOutcome }
  | { readonly state: 'refused'; readonly error: Error };

/** All that a hook knows of its operation. */
export interface Known {
  /** As the outbox has it, or had it last. */
  readonly operation: Operation | undefined;
  readonly ended: Ended | undefined;
  /** Whether the outbox has it no more, without an outcome. */
  readonly gone: boolean;
  readonly conflict: IntentConflictError | undefined;
  /** What its callers were told last. */
  readonly error: WhyOpen['error'];
  /** Whether a call is on its way to the outbox. */
  readonly submitting: boolean;
}

/** Whether nothing has changed. */
export function sameKnown(one: Known, other: Known): boolean {
  const names = ['operation', 'ended', 'gone', 'conflict', 'error', 'submitting'] as const;
  return names.every((name) => one[name] === other[name]);
}

/** What a component shows of it. An outcome counts only once it was handed over: until then somebody is still asking. */
export function viewOf({
  operation,
  ended,
  gone,
  conflict,
  error: told,
  submitting,
}: Known): OperationView<any, any> {
  if (!operation && !ended && !submitting && !conflict) return idle;
  const progress: OperationProgress = {
    key: operation?.key,
    attempts: operation?.attempts ?? 0,
    notes: operation?.notes ?? idle.notes,
    conflict,
  };
  if (ended) return { ...progress, ...ended };
  if (!operation) return { ...progress, state: submitting ? 'sending' : 'idle' };
  const { state, parked, nextAttemptAt, key } = operation;
  const open = { ...progress, mayHaveRun: gone || operation.mayHaveRun };
  const error = told?.key === key ? told : undefined;
  if (gone) return submitting ? { ...progress, state: 'sending' } : { ...open, state: 'unknown', error };
  switch (state) {
    case 'persisted':
    case 'sending':
    case 'settled':
      return { ...progress, state: 'sending' };
    case 'waiting':
      if (nextAttemptAt !== undefined) return { ...open, state, nextAttemptAt };
      // Without a next attempt nobody asks but time, now and then, unless this very call is about to.
      return submitting ? { ...progress, state: 'sending' } : { ...open, state: 'unknown', error };
    case 'parked':
      return { ...open, state, reason: parked!, error };
    case 'expired':
      return { ...open, state };
  }
}

/** The end that an error means; `undefined` when it is no evidence of one. */
export function endOf(error: unknown): Ended | undefined {
  const open =
    isIntentConflict(error) ||
    isOutcomeUnknown(error) ||
    isOperationParked(error) ||
    isOperationExpired(error);
  // What knows no key does not come from an operation: somebody's link threw, or it is in no outbox any more.
  if (open || keyOf(error) === undefined) return undefined;
  const settlement = readIdempotency(error)?.settlement;
  if (settlement !== 'settled' && settlement !== 'replayed')
    return { state: 'refused', error: error as Error };
  const { data } = error as { data?: { declared?: any } };
  return {
    state: 'settled',
    outcome: { ok: false, error: error as Error, declared: data?.declared },
  };
}

/** Whether it says why there is no outcome, and not only that this component stopped waiting. */
export function isTold(error: unknown): error is NonNullable<Known['error']> {
  return isOperationParked(error) || (isOutcomeUnknown(error) && error.reason !== 'aborted');
}
