import type { Verdict } from '../../attempts/classify.js';
import type { Foundation } from '../foundation.js';
import type { Operation } from '../operation/operation.js';

/** Why an operation must not be sent as things stand; looked at again before every attempt. */
export function holdBack(
  operation: Operation,
  outbox: Pick<Foundation, 'sender' | 'server' | 'knows' | 'clock'>,
): Verdict | undefined {
  const { sender, clock } = outbox;
  // Found so in storage: another process halted it while this one waited for the failure to be over.
  if (operation.parked === 'lane-halted') return { kind: 'park', reason: 'lane-halted' };
  if (sender() !== operation.owner) return { kind: 'park', reason: 'owner-changed' };
  const reason = notOfThisApp(operation, outbox);
  if (reason) return { kind: 'park', reason };
  // Of which surely nothing ran, that is new to the server, however long ago it was called.
  if (operation.mayHaveRun && clock.now() - operation.firstSentAt >= operation.retentionMs)
    return { kind: 'expired' };
  return undefined;
}

/** Why another app has to send it, or another version of this one. */
export function notOfThisApp(
  { path, server }: Operation,
  { knows, server: own }: Pick<Foundation, 'server' | 'knows'>,
): 'server-changed' | 'path-gone' | undefined {
  if ((server ?? own()) !== own()) return 'server-changed';
  return knows(path) ? undefined : 'path-gone';
}
