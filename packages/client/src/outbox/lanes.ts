import type { Closing } from '../attempts/closing.js';
import type { WireTransformer } from '../attempts/transformer.js';
import type { Coordination } from './coordination/coordination.js';
import { type Operation, operationId } from './operation.js';
import { outcomeOf } from './outcome.js';
import type { RunEnd } from './run-end.js';
import type { StoredOperations } from './stored-operations.js';
import { transition } from './transition.js';

/**
 * Operations in line. A place is given when the operation is stored, by whoever has the hold on the lane; an operation is
 * sent once none before it is left. What failed leaves its lane only after those behind it were parked, so a crash in
 * between lets none of them slip through.
 */
export class Lanes {
  readonly #store: StoredOperations;
  readonly #coordination: Coordination;
  readonly #transformer: WireTransformer;

  constructor(store: StoredOperations, coordination: Coordination, transformer: WireTransformer) {
    this.#store = store;
    this.#coordination = coordination;
    this.#transformer = transformer;
  }

  /** All of the operation's lane, first to last. */
  of({ owner, lane }: Pick<Operation, 'owner' | 'lane'>): readonly Operation[] {
    if (lane === undefined) return [];
    const all = this.#store.of(owner).filter((operation) => operation.lane === lane);
    return all.sort((one, other) => one.place! - other.place!);
  }

  /** The place of one that is about to be stored. */
  nextPlace(owner: string | null, lane: string): number {
    return (this.of({ owner, lane }).at(-1)?.place ?? 0) + 1;
  }

  /** The last one before it that has not run yet, or whose failure holds up the lane. */
  before(operation: Operation): Operation | undefined {
    return this.of(operation)
      .filter((other) => other.place! < operation.place! && !this.#isPast(other))
      .at(-1);
  }

  behind(operation: Operation): readonly Operation[] {
    return this.of(operation).filter((other) => other.place! > operation.place!);
  }

  #isPast(operation: Operation): boolean {
    return (operation.state === 'settled' || operation.state === 'expired') && !this.#halts(operation);
  }

  /** Whether it is over and did not succeed, and its lane stops there. Nobody knows of an expired one that it did. */
  #halts(operation: Operation): boolean {
    if (operation.lane === undefined) return false;
    if (operation.parked === 'lane-halted') return true;
    if (operation.onFailure === 'continue') return false;
    return (
      operation.state === 'expired' ||
      (operation.state === 'settled' && outcomeOf(operation, this.#transformer)?.ok !== true)
    );
  }

  /** Waits until nothing is before an operation; how its run ends if that cannot be. */
  async wait(
    operation: Operation,
    closing: Closing,
    run: (before: Operation) => Promise<unknown>,
  ): Promise<RunEnd | undefined> {
    for (let last: Operation | undefined; ; ) {
      const self = this.#store.get(operationId(operation));
      if (!self) return { kind: 'gone', operation };
      const before = self.parked === 'lane-halted' ? self : this.before(self);
      if (!before) return undefined;
      const halted = this.#halts(before);
      // Its run has ended, and it is still there without an outcome.
      if (halted || before.key === last?.key || closing.closed) {
        const reason = halted ? 'lane-halted' : 'lane-waiting';
        if (self.parked === reason) return { kind: 'parked', reason, operation: self };
        const parked = transition(self, { to: 'parked', parked: reason });
        return { kind: 'parked', reason, operation: (await this.#store.save(parked)) ?? parked };
      }
      last = before;
      await run(before);
    }
  }

  /** Parks what is behind a failed operation. */
  async halt(failed: Operation): Promise<void> {
    if (!this.#halts(failed)) return;
    const { signal } = new AbortController();
    const { owner, lane } = failed;
    const hold = await this.#coordination.hold(laneName(owner, lane!), signal);
    try {
      // One that was called elsewhere a moment ago. If storage cannot be read, those known here at least.
      if (this.#coordination.shared)
        await this.#store.load((id) => id === operationId(failed)).catch(() => {});
      for (const operation of this.behind(failed))
        if (
          operation.parked !== 'lane-halted' &&
          operation.state !== 'settled' &&
          operation.state !== 'expired'
        )
          await this.#store.save(transition(operation, { to: 'parked', parked: 'lane-halted' }));
    } finally {
      hold.release();
    }
  }
}

/** What is held while the line is looked at and changed. */
export function laneName(owner: string | null, lane: string): string {
  return `lane ${JSON.stringify([owner, lane])}`;
}
