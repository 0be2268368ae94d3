import type { ParkReason } from '../../errors/operation-parked-error.js';
import { type AttemptNote, KEPT_NOTES, type Operation, type OperationState } from './operation.js';

/** How an attempt ended, for the operation's notes. */
export type Ended = Omit<AttemptNote, 'number'>;

/**
 * One step of an operation's life. `after` is the attempt that led to it, if one did; what else a step says is what the
 * operation says from then on, until the next step.
 */
export type Step = { readonly after?: Ended | undefined } & (
  | { readonly to: 'sending'; readonly firstSentAt?: number }
  /** About to be sent: its lane goes on, nothing of it has left yet, or it is sent once more with a new session. */
  | { readonly to: 'persisted'; readonly firstSentAt?: number }
  | {
      readonly to: 'waiting';
      readonly mayHaveRun: boolean;
      readonly nextAttemptAt?: number | undefined;
      readonly notBefore?: number | undefined;
    }
  | {
      readonly to: 'parked';
      readonly parked: ParkReason;
      readonly mayHaveRun?: boolean;
      readonly notBefore?: number | undefined;
    }
  | { readonly to: 'expired' }
  | { readonly to: 'settled'; readonly answer: string }
);

const open: readonly OperationState[] = ['persisted', 'sending', 'waiting', 'parked'];

const from: Record<Step['to'], readonly OperationState[]> = {
  sending: ['persisted', 'waiting', 'parked'],
  persisted: open,
  waiting: ['sending'],
  parked: open,
  expired: open,
  // Usually from sending; from the others when the answer comes after the hold was lost.
  settled: open,
};

/**
 * The operation after `step`; it does not change the one given.
 * @throws Error when the state does not allow it: an outcome or an expiry is final.
 */
export function transition(operation: Operation, { to, after, ...says }: Step): Operation {
  if (!from[to].includes(operation.state))
    throw new Error(`operation ${operation.key} cannot go from ${operation.state} to ${to}`);
  const { nextAttemptAt: _, notBefore: __, parked: ___, notes, ...lasting } = operation;
  const attempts = lasting.attempts + (to === 'sending' ? 1 : 0);
  const noted = after ? [...notes, Object.freeze({ number: attempts, ...after })].slice(-KEPT_NOTES) : notes;
  return Object.freeze({
    ...lasting,
    ...(says as Partial<Operation>),
    state: to,
    attempts,
    notes: Object.freeze(noted),
    // What may have happened stays possible.
    mayHaveRun: lasting.mayHaveRun || ('mayHaveRun' in says && says.mayHaveRun === true),
  });
}
