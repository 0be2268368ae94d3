import type { AttemptNote, Operation } from '@trpc-once/client';
import { readRefusal } from '@trpc-once/contract';

const ends: { readonly [E in AttemptNote['ended']]?: string } = {
  settled: 'answered',
  replayed: 'answered: it had gone through before',
  network: 'no answer',
  timeout: 'no answer in time',
  'cut-body': 'an answer cut short',
  'in-progress': 'still being worked on',
  unknown: 'the shop itself does not know yet',
  unauthorized: 'nobody is signed in (401)',
  'owner-changed': 'held back: somebody else is signed in',
  'server-changed': 'held back: it was made for another shop',
  'store-unavailable': 'the shop is closed for a moment (503)',
  expired: 'too old: the shop has forgotten its outcome',
};

/** What became of one attempt, in a few words. */
export function ended({ ended: how, status }: AttemptNote): string {
  switch (how) {
    case 'not-trpc':
      return `a gateway's page (${status})`;
    case 'released':
      return `the shop broke (${status}), nothing happened`;
    case 'declined':
      return `declined (${status})`;
    default:
      return ends[how] ?? (status === undefined ? how : `answered ${status}`);
  }
}

/** Where an operation stands, in the terms of the outbox. Nothing is called a failure of which nobody knows whether it is one. */
export function standing(operation: Operation): string {
  const { state, parked, nextAttemptAt } = operation;
  if (state === 'parked') return `parked: ${parked}`;
  if (state === 'settled') {
    const error = errorOf(operation);
    if (readRefusal(error) === 'FINGERPRINT_MISMATCH') return 'declined: ordered before';
    return error ? 'settled: turned down' : 'settled: placed';
  }
  return state === 'waiting' && nextAttemptAt === undefined ? 'outcome unknown' : state;
}

/** Whether its outcome is an error: then nothing of it happened. */
export function isTurnedDown(operation: Operation): boolean {
  return errorOf(operation) !== undefined;
}

function errorOf({ answer }: Operation): unknown {
  return answer === undefined ? undefined : (JSON.parse(answer) as { error?: unknown }).error;
}
