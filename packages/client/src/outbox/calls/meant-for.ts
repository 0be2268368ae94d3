import { OperationParkedError } from '../../errors/operation-parked-error.js';
import { OutcomeUnknownError } from '../../errors/outcome-unknown-error.js';
import { type Operation, operationId } from '../operation/operation.js';
import { type BeginNeeds, refuse } from './begin.js';
import type { Call } from './call.js';
import type { Joining } from './joining.js';

/**
 * A call that is meant for somebody who is not signed in (any more): a retry or a restored mutation of theirs. What is kept of
 * it waits for them; nothing is begun.
 * @throws always
 */
export async function leaveToOwner(
  call: Call,
  owner: string | null,
  { store, joining }: Pick<BeginNeeds, 'store'> & { readonly joining: Pick<Joining, 'handle'> },
  pending: () => Operation | undefined,
): Promise<never> {
  await store.load().catch(() => {});
  const kept = pending();
  if (kept) throw new OperationParkedError({ ...kept, reason: 'owner-changed' });
  const { key, path, keyGiven } = call;
  if (!keyGiven) return refuse(call, 'owner-changed', 'it is meant for somebody who is not signed in');
  // Its key may have been sent, and its owner told.
  const never = { attempts: 0, mayHaveRun: true, ...joining.handle(operationId({ owner, key })) };
  throw new OutcomeUnknownError({ key, path, reason: 'elsewhere', ...never });
}
