import { IntentConflictError } from '../../errors/intent-conflict-error.js';
import { OperationExpiredError } from '../../errors/operation-expired-error.js';
import {
  OutcomeUnknownError,
  type OutcomeUnknownHandle,
  type UnknownReason,
} from '../../errors/outcome-unknown-error.js';
import type { HandOver } from '../hand-over/hand-over.js';
import type { Waiters, WaitOptions } from '../hand-over/waiters.js';
import { laneName, type Operation, operationId } from '../operation/operation.js';
import { lastAttempt } from '../operation/outcome.js';
import { transition } from '../operation/transition.js';
import type { BeginNeeds } from './begin.js';
import type { Call } from './call.js';
import { differs } from './differs.js';

/** What it needs of the outbox. */
export interface JoiningNeeds extends BeginNeeds {
  readonly waiters: Waiters;
  readonly handOver: HandOver;
}

/** Those who join an operation, wait for it or ask again: each hears of its outcome. */
export class Joining {
  readonly #outbox: JoiningNeeds;

  constructor(outbox: JoiningNeeds) {
    this.#outbox = outbox;
  }

  /** Asks again for one operation, and waits for its outcome. */
  async resumeOne(id: string, options: WaitOptions = {}): Promise<unknown> {
    const { store, lanes, runs, server } = this.#outbox;
    const operation = await this.#find(id);
    if (!operation) return this.remembered(id);
    // Whoever names it has seen why it was parked, and decides. One that was not yet is parked first.
    if (operation.parked === 'server-changed')
      await store.save({ ...transition(operation, { to: 'persisted' }), server: server() });
    const goOn = operation.parked === 'lane-halted' ? lanes.of(operation) : [];
    for (const one of goOn)
      if (one.parked === 'lane-halted') await store.save(transition(one, { to: 'persisted' }));
    const outcome = this.join(
      store.get(id) ?? operation,
      { waitMs: operation.retry.waitMs, ...options },
      true,
    );
    if (goOn.length > 0) runs.goOn(lanes.of(operation));
    return outcome;
  }

  /** Waits for one operation's outcome, and sends nothing. */
  async waitFor(id: string, options: WaitOptions = {}): Promise<unknown> {
    const operation = await this.#find(id);
    if (!operation) return this.remembered(id);
    // A settled or expired one needs nothing to be sent.
    const idle = operation.state !== 'settled' && operation.state !== 'expired';
    return idle ? this.wait(operation, options) : this.join(operation, options);
  }

  async #find(id: string): Promise<Operation | undefined> {
    const { store, runs, closing } = this.#outbox;
    if (closing.closed) throw new Error('the outbox was closed');
    // About to be there: the outcome that an earlier one of its key had is not its own.
    await runs.get(id)?.kept?.catch(() => {});
    if (!store.get(id)) await store.load();
    return store.get(id);
  }

  /** The outcome of one that was handed over lately. @throws Error when there was none */
  async remembered(id: string): Promise<unknown> {
    const ending = this.#outbox.handOver.remembered(id);
    if (ending) return new Promise((resolve, reject) => ending({ resolve, reject }));
    throw new Error(`no operation ${JSON.parse(id)[1]} of who is signed in is in the outbox, or was lately`);
  }

  /** Waits for an operation's outcome, and has it asked for. @throws IntentConflictError when the call means something else */
  async join(operation: Operation, call: Partial<Call>, now = false): Promise<unknown> {
    const { key, path, state } = operation;
    if (differs(operation, call, this.#outbox)) {
      this.takeAlong(call, operation.owner);
      throw new IntentConflictError({ key, path, intent: call.intent });
    }
    call.onKey?.(key, operation.owner);
    if (state === 'expired') throw new OperationExpiredError(operation);
    const { handOver, runs } = this.#outbox;
    // Asked from within onSettled, perhaps: it would wait for this, and this for it. What is told is the outcome, for good,
    // so whoever asks meanwhile hears the same, only sooner; the run takes note that somebody has.
    const isKnown = handOver.isTelling(operation) && handOver.remember(operation);
    const outcome = isKnown ? this.remembered(operationId(operation)) : this.wait(operation, call);
    runs.start(operation, { waitMs: call.waitMs, now, unhurried: !now });
    return outcome;
  }

  /** Waits from now on. Nobody leaves before the operation is kept. */
  wait(operation: Operation, options: WaitOptions): Promise<unknown> {
    const { store, waiters, runs, listeners } = this.#outbox;
    const id = operationId(operation);
    const onLeave = (why: UnknownReason) => {
      const now = store.get(id) ?? operation;
      const kept = runs.get(id)?.kept;
      // Nobody waits any more who would hear that storage refused.
      kept?.catch((error) => listeners.tell({ type: 'storage-failed', operation: now, error }));
      const reason = kept ? 'storage' : why;
      const cause = options.signal?.reason ?? lastAttempt(now);
      return new OutcomeUnknownError({ ...now, reason, cause, ...this.handle(id) });
    };
    return waiters.wait(id, options, onLeave, runs.get(id)?.kept);
  }

  /** What an error of an unknown outcome is left with. */
  handle(id: string): OutcomeUnknownHandle {
    // Whatever ended the wait: that it is kept nobody can say.
    const inDoubt = this.#outbox.store.isInDoubt(id) && ({ reason: 'storage' } as const);
    return { wait: () => this.waitFor(id), resume: () => this.resumeOne(id), ...inDoubt };
  }

  /** A call that comes to nothing takes those with it that were made behind it in its lane. */
  takeAlong({ lane, onFailure }: Partial<Call>, owner: string | null): void {
    if (lane !== undefined && onFailure !== 'continue') this.#outbox.lanes.refused(laneName({ owner, lane }));
  }
}
