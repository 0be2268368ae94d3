import type { AttemptNote, Operation } from '@trpc-once/client';
import { declaredError, readRefusal } from '@trpc-once/contract';
import { shop } from '../../src/contract.js';

export function money(cents: number): string {
  return (cents / 100).toLocaleString('en', { style: 'currency', currency: 'EUR' });
}

/** Why an order was not placed: certain, as everything that is said of an outcome. */
export function turnedDown(error: unknown): string {
  // The cart had been ordered with something else in it, from a tab or a page that knew it so; what became of that order
  // is another question.
  if (readRefusal(error) === 'FINGERPRINT_MISMATCH')
    return 'This cart had been ordered before it was changed: see the orders on record.';
  const declared = declaredError(error, shop.orders.checkOut);
  switch (declared?.name) {
    case 'OUT_OF_STOCK':
      return `Not placed: only ${declared.data.left} of ${declared.data.sku} are left. Nothing was charged.`;
    case 'INSUFFICIENT_FUNDS':
      return `Not placed: ${money(declared.data.priceCents)} is more than the ${money(declared.data.balanceCents)} in the account.`;
    case 'UNKNOWN_SKU':
      return `Not placed: the shop has no ${declared.data.sku}.`;
    default:
      return `Not placed: ${(error as Error).message}`;
  }
}

/** What became of one attempt, in a few words. */
export function ended({ ended: how, status }: AttemptNote): string {
  switch (how) {
    case 'settled':
      return 'answered';
    case 'replayed':
      return 'answered: it had gone through before';
    case 'network':
      return 'no answer';
    case 'timeout':
      return 'no answer in time';
    case 'cut-body':
      return 'an answer cut short';
    case 'not-trpc':
      return `a gateway's page (${status})`;
    case 'released':
      return `the shop broke (${status}), nothing happened`;
    case 'in-progress':
      return 'still being worked on';
    case 'unauthorized':
      return 'nobody signed in (401)';
    case 'declined':
      return `declined (${status})`;
    case 'store-unavailable':
      return 'the shop is closed for a moment (503)';
    default:
      return status === undefined ? how : `${how} (${status})`;
  }
}

/** Where an operation stands. Nothing here is called a failure of which nobody knows whether it is one. */
export function standing(operation: Operation): string {
  const { state, parked, nextAttemptAt } = operation;
  switch (state) {
    case 'persisted':
    case 'sending':
      return 'Asking the shop';
    case 'waiting':
      return nextAttemptAt === undefined ? 'Not known yet' : 'No outcome yet';
    case 'parked':
      return parked === 'unauthorized' ? 'Waits for a sign-in' : 'Kept for later';
    case 'expired':
      return 'Too old to ask again';
    case 'settled':
      if (readRefusal(errorOf(operation)) === 'FINGERPRINT_MISMATCH') return 'Ordered before';
      return isTurnedDown(operation) ? 'Turned down' : 'Placed';
  }
}

/** Whether its outcome is an error: then nothing of it happened. */
export function isTurnedDown(operation: Operation): boolean {
  return errorOf(operation) !== undefined;
}

function errorOf({ answer }: Operation): unknown {
  return answer === undefined ? undefined : (JSON.parse(answer) as { error?: unknown }).error;
}
