import type { Verdict } from '../../attempts/classify.js';
import type { Foundation } from '../foundation.js';
import type { Operation } from '../operation/operation.js';

/** Why an operation must not be sent as things stand; looked at again before every attempt. */
export function holdBack(
  operation: Operation,
  { sender, server, knows, clock }: Pick<Foundation, 'sender' | 'server' | 'knows' | 'clock'>,
): Verdict | undefined {
  // Found so in storage: another process halted it while this one waited for the failure to be over.
  if (operation.parked === 'lane-halted') return { kind: 'park', reason: 'lane-halted' };
  if (sender() !== operation.owner) return { kind: 'park', reason: 'owner-changed' };
  if ((operation.server ?? server()) !== server()) return { kind: 'park', reason: 'server-changed' };
  if (!knows(operation.path)) return { kind: 'park', reason: 'path-gone' };
  // Of which surely nothing ran, that is new to the server, however long ago it was called.
  if (operation.mayHaveRun && clock.now() - operation.firstSentAt >= operation.retentionMs)
    return { kind: 'expired' };
  return undefined;
}
