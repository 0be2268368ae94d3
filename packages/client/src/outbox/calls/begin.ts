import { NotSentError, type NotSentReason } from '../../errors/not-sent-error.js';
import type { Foundation } from '../foundation.js';
import { knownSender } from '../known-sender.js';
import { newOperation, type Operation, operationId } from '../operation/operation.js';
import { transition } from '../operation/transition.js';
import type { Hold } from '../others/hold.js';
import type { Lanes } from '../runs/lanes.js';
import type { Runs } from '../runs/runs.js';
import type { StoredOperations } from '../store/stored-operations.js';
import type { Call } from './call.js';

/** What it needs of the outbox. */
export interface BeginNeeds extends Foundation {
  readonly store: StoredOperations;
  readonly lanes: Lanes;
  readonly runs: Runs;
}

/** What a call that had to enter brings along. */
export interface Beginning {
  /** Told when it is known here, and whoever means the same finds it. */
  readonly known?: (() => void) | undefined;
  readonly entry?: Hold | undefined;
  /** What became of the one before it in its lane, as far as is known by now. */
  readonly fate?: (() => ReturnType<Lanes['fateOf']>) | undefined;
}

export interface Begun {
  readonly operation: Operation;
  /** When storage has it. @throws when storage refuses it */
  readonly kept: Promise<void>;
}

/** Makes a call an operation of its own, which is stored and then sent. @throws NotSentError when it is too late for that */
export function begin(
  call: Call,
  owner: string | null,
  outbox: BeginNeeds,
  { known, entry, fate }: Beginning = {},
): Begun {
  refuseIfOver(call, outbox);
  // Stored now, it would be found on the device of somebody who has signed out.
  if (knownSender({ sender: outbox.owner }) !== owner || outbox.purges(owner))
    refuse(call, 'owner-changed', 'its owner is not signed in any more');
  const { store, runs, lanes, clock, server } = outbox;
  const { key, path, body, intent, lane, onFailure = 'halt', retry, retentionMs, waitMs } = call;
  const made = newOperation(
    {
      ...{ key, owner, server: server(), path, body, retry, retentionMs },
      ...(intent !== undefined && { intent }),
      ...(lane !== undefined && { lane, place: lanes.nextPlace(owner, lane), onFailure }),
    },
    clock.now(),
  );
  if (runs.get(operationId(made)))
    refuse(call, 'storage', 'an earlier operation of its key does not come to its end');
  // As those are that were behind the failure already.
  const asFated = (one: Operation) =>
    fate?.() === 'halted' ? transition(one, { to: 'parked', parked: 'lane-halted' }) : one;
  const operation = asFated(made);
  call.onKey?.(key, owner);
  const insert = async () => {
    if (entry?.lost) throw new Error('the page slept before it could be kept; call again');
    const inserting = store.insert(operation);
    // From here on whoever means the same finds it here.
    known?.();
    await inserting;
    // Heard of while it was being stored.
    const now = asFated(operation);
    if (now.parked !== operation.parked) await store.save(now);
  };
  const { kept } = runs.start(operation, { waitMs, insert });
  return { operation, kept: kept! };
}

/** @throws NotSentError when the outbox was closed, or the caller does not want it any more */
export function refuseIfOver(call: Call, { closing }: Pick<Foundation, 'closing'>): void {
  if (closing.closed) refuse(call, 'closed', 'the outbox was closed');
  if (call.signal?.aborted) refuse(call, 'aborted', 'the signal was aborted before anything was sent');
}

export function refuse(call: Call, reason: NotSentReason, message: string, cause?: unknown): never {
  throw new NotSentError({ key: call.key, path: call.path, reason, message, cause });
}
