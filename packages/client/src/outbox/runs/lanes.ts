import type { Closing } from '../../attempts/closing.js';
import type { Foundation } from '../foundation.js';
import type { HandOver, Mark } from '../hand-over/hand-over.js';
import { laneName, type Operation, operationId } from '../operation/operation.js';
import { outcomeOf } from '../operation/outcome.js';
import { transition } from '../operation/transition.js';
import type { Others } from '../others/others.js';
import { mentions } from '../store/damaged-record.js';
import type { StoredOperations } from '../store/stored-operations.js';
import type { RunEnd } from './run-end.js';
import type { StartOptions } from './start-options.js';

/** What they need of the outbox. */
export interface LanesNeeds extends Foundation {
  readonly store: StoredOperations;
  readonly others: Pick<Others, 'hold' | 'shared'>;
  readonly handOver: Pick<HandOver, 'newsOf' | 'mark'>;
  readonly runs: { start(operation: Operation, options: StartOptions): { readonly asked: Promise<RunEnd> } };
}

/**
 * Operations in line. A place is given when the operation is stored, by whoever has the hold on the lane; an operation is
 * sent once none before it is left. What failed leaves its lane only after those behind it were parked, so a crash in
 * between lets none of them slip through.
 *
 * Nor does one that is called meanwhile, here or elsewhere. Whoever parks has the hold on the lane, and so has a call from
 * before it looks who is in the lane until it is stored. A call that had it later finds the failure stored, or gone again:
 * handed over or dismissed, as news say, or the record that was delivered, with the time.
 */
export class Lanes {
  readonly #outbox: LanesNeeds;
  /** When something last left a lane without success, and how: in the order in which this process heard, or in time. */
  readonly #left = new Map<string, number>();

  constructor(outbox: LanesNeeds) {
    this.#outbox = outbox;
  }

  /**
   * What became of the one before a call, that was made at `since` and has entered by now: storage refused it, or it failed.
   * Whoever called both in one breath has not heard of it, and depends on it.
   */
  fateOf({ order, at }: Mark, of: Pick<Operation, 'owner' | 'lane'>): 'refused' | 'halted' | undefined {
    const isAfter = (how: string, since: number) => since <= (this.#left.get(how + laneName(of)) ?? 0);
    if (isAfter('refused', order)) return 'refused';
    const isLeft = isAfter('halted', order) || isAfter('elsewhere', at);
    return isLeft || this.#outbox.store.inLane(of).some((one) => this.#halts(one)) ? 'halted' : undefined;
  }

  #leaves(how: 'refused' | 'halted' | 'elsewhere', lane: string, when: number): void {
    this.#left.set(how + lane, Math.max(when, this.#left.get(how + lane) ?? 0));
  }

  /** A call of the lane could not be kept. */
  refused(lane: string): void {
    this.#leaves('refused', lane, this.#outbox.handOver.mark().order);
  }

  /**
   * An operation is gone.
   * @param elsewhereAt when another process handed it over, in epoch milliseconds, of one that is told of by that alone
   */
  left(operation: Operation, elsewhereAt?: number): void {
    if (!this.#halts(operation)) return;
    const { order, at } = this.#outbox.handOver.mark();
    const lane = laneName(operation);
    if (elsewhereAt === undefined) this.#leaves('halted', lane, order);
    // Not later than now, whatever a clock said that was set back.
    else this.#leaves('elsewhere', lane, Math.min(elsewhereAt, at));
  }

  /** All of the operation's lane, first to last. */
  of(one: Pick<Operation, 'owner' | 'lane'>): readonly Operation[] {
    const all = one.lane === undefined ? [] : this.#outbox.store.inLane(one);
    return all.sort((one, other) => one.place! - other.place!);
  }

  /** The place of one that is about to be stored. */
  nextPlace(owner: string | null, lane: string): number {
    return (this.of({ owner, lane }).at(-1)?.place ?? 0) + 1;
  }

  behind(operation: Operation): readonly Operation[] {
    return this.of(operation).filter((other) => other.place! > operation.place!);
  }

  /** What keeps one from being sent: that it was halted itself, or the last before it that is not over or failed. */
  before(operation: Operation): Operation | undefined {
    if (operation.parked === 'lane-halted') return operation;
    return this.of(operation)
      .filter((other) => other.place! < operation.place! && (!isOver(other) || this.#halts(other)))
      .at(-1);
  }

  /** Whether it is over and did not succeed, and its lane stops there. Nobody knows of an expired one that it did. */
  #halts(operation: Operation): boolean {
    const { lane, parked, onFailure, state } = operation;
    if (parked === 'lane-halted') return true;
    if (lane === undefined || onFailure === 'continue' || !isOver(operation)) return false;
    return state === 'expired' || outcomeOf(operation, this.#outbox.transformer)?.ok !== true;
  }

  /** Whether a record of the lane cannot be read: nobody knows what became of that one, which may have been before. */
  #isInDoubt({ owner, lane }: Operation): boolean {
    return this.#outbox.store.damaged.some((record) => mentions(record, owner, 'lane', lane));
  }

  /** Waits until nothing is before an operation; how its run ends if that cannot be. */
  async wait(operation: Operation, closing: Closing): Promise<RunEnd | undefined> {
    const { store, runs, handOver } = this.#outbox;
    let last: Operation | undefined;
    let isHalted = false;
    for (;;) {
      const self = store.get(operationId(operation));
      if (!self) return { kind: 'gone', operation };
      const before = this.before(self);
      if (!before && !isHalted && !this.#isInDoubt(self)) return undefined;
      isHalted ||= before !== undefined && this.#halts(before);
      // The same one: its run has ended, and it is still there without an outcome.
      if (!before || isHalted || before.key === last?.key || closing.closed) {
        const reason = isHalted ? 'lane-halted' : 'lane-waiting';
        return { kind: 'parked', reason, operation: await this.#park(self, reason) };
      }
      last = before;
      // Not until somebody has heard: onSettled may be waiting for what is behind.
      const { operation: end } = await runs.start(before, { inTurn: true }).asked;
      // Who had it may have parked what is behind it before this was there.
      isHalted = !store.get(operationId(before)) && this.#halts(await handOver.newsOf(end));
    }
  }

  /** Parks what is behind a failed operation. */
  async halt(failed: Operation): Promise<void> {
    if (!this.#halts(failed)) return;
    const { others, store } = this.#outbox;
    const hold = await others.hold(laneName(failed));
    try {
      // One that was called elsewhere a moment ago. If storage cannot be read, those known here at least.
      if (others.shared) await store.load((id) => id === operationId(failed)).catch(() => {});
      for (const operation of this.behind(failed))
        if (!isOver(operation)) await this.#park(operation, 'lane-halted');
    } finally {
      hold.release();
    }
  }

  async #park(operation: Operation, reason: 'lane-halted' | 'lane-waiting'): Promise<Operation> {
    if (operation.parked === reason) return operation;
    const parked = transition(operation, { to: 'parked', parked: reason });
    return (await this.#outbox.store.save(parked)) ?? parked;
  }
}

function isOver({ state }: Operation): boolean {
  return state === 'settled' || state === 'expired';
}
