import type { ParkReason } from '../errors/operation-parked-error.js';
import { type AttemptEnd, KEPT_NOTES, type Operation, type OperationState } from './operation.js';

/** What ended, for the operation's notes. */
export interface Ended {
  readonly ended: AttemptEnd;
  readonly status?: number | undefined;
  readonly at: number;
}

/** One step of an operation's life. `after` is the attempt that led to it, if one did. */
export type Step =
  | { readonly to: 'sending' }
  /** Its lane goes on: as if it had never been parked. */
  | { readonly to: 'persisted' }
  | {
      readonly to: 'waiting';
      readonly after: Ended | undefined;
      readonly mayHaveRun: boolean;
      readonly nextAttemptAt?: number | undefined;
      readonly notBefore?: number | undefined;
    }
  | {
      readonly to: 'parked';
      readonly reason: ParkReason;
      readonly after?: Ended | undefined;
      readonly mayHaveRun?: boolean;
      readonly notBefore?: number | undefined;
    }
  | { readonly to: 'expired'; readonly after?: Ended | undefined }
  | { readonly to: 'settled'; readonly after: Ended | undefined; readonly answer: string };

const from: Record<Step['to'], readonly OperationState[]> = {
  sending: ['persisted', 'waiting', 'parked'],
  persisted: ['parked'],
  waiting: ['sending'],
  parked: ['persisted', 'sending', 'waiting', 'parked'],
  expired: ['persisted', 'sending', 'waiting', 'parked'],
  // Usually from sending; from the others when the answer comes after the hold was lost.
  settled: ['persisted', 'sending', 'waiting', 'parked'],
};

/**
 * The operation after `step`; it does not change the one given.
 * @throws Error when the state does not allow it: an outcome or an expiry is final.
 */
export function transition(operation: Operation, step: Step): Operation {
  if (!from[step.to].includes(operation.state))
    throw new Error(`operation ${operation.key} cannot go from ${operation.state} to ${step.to}`);
  const { nextAttemptAt: _, notBefore: __, parked: ___, ...lasting } = operation;
  const next = { ...lasting, state: step.to };
  switch (step.to) {
    case 'sending':
      return Object.freeze({ ...next, attempts: operation.attempts + 1 });
    case 'persisted':
      return Object.freeze(next);
    case 'settled':
      return Object.freeze({ ...next, ...noted(operation, step.after), answer: step.answer });
    case 'expired':
      return Object.freeze({ ...next, ...noted(operation, step.after) });
    case 'waiting':
    case 'parked':
      return Object.freeze({
        ...next,
        ...noted(operation, step.after),
        mayHaveRun: operation.mayHaveRun || step.mayHaveRun === true,
        ...(step.notBefore !== undefined && { notBefore: step.notBefore }),
        ...(step.to === 'parked' && { parked: step.reason }),
        ...(step.to === 'waiting' &&
          step.nextAttemptAt !== undefined && { nextAttemptAt: step.nextAttemptAt }),
      });
  }
}

function noted({ notes, attempts }: Operation, after: Ended | undefined): Pick<Operation, 'notes'> {
  if (!after) return { notes };
  const { ended, status, at } = after;
  const note = { number: attempts, at, ended, ...(status !== undefined && { status }) };
  return { notes: Object.freeze([...notes, Object.freeze(note)].slice(-KEPT_NOTES)) };
}
