import { type EventCall, eventCall, type OnEvent } from '../events/once-event.js';
import { storeUnavailable, unknown } from './answers.js';
import type { Answer, Call } from './call.js';

const CLOSED: Answer = storeUnavailable(new Error('once.close() was called'));

/** What lies behind the gate: the executor, or the one that waits on top of it. */
export interface Inside<TTransaction> {
  execute(call: Call<TTransaction>): Promise<Answer>;
}

/** Counts the calls inside, so that closing can wait for them, and reports how each was answered. */
export class Gate<TTransaction> {
  readonly #executor: Inside<TTransaction>;
  readonly #emit: OnEvent;
  readonly #inside = new Map<Promise<Answer>, EventCall>();
  #closed = false;

  constructor(executor: Inside<TTransaction>, emit: OnEvent) {
    this.#executor = executor;
    this.#emit = emit;
  }

  async pass(call: Call<TTransaction>): Promise<Answer> {
    if (this.#closed) {
      this.#report(call, CLOSED, 0);
      return CLOSED;
    }
    const beganAt = performance.now();
    const pending = this.#executor.execute(call);
    this.#inside.set(pending, eventCall(call));
    try {
      const answer = await pending;
      this.#report(call, answer, performance.now() - beganAt);
      return answer;
    } catch (error) {
      // A fault of our own making: nothing is known of the operation, and what is not known is not called released.
      this.#emit({ type: 'fault', call: eventCall(call), error });
      return unknown(error);
    } finally {
      this.#inside.delete(pending);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#inside.keys());
  }

  /** The calls that are not answered yet. */
  inside(): EventCall[] {
    return [...this.#inside.values()];
  }

  #report(call: Call<TTransaction>, answer: Answer, durationMs: number): void {
    if (answer.kind === 'refused')
      this.#emit({ type: 'refused', call: eventCall(call), refusal: answer.refusal });
    else this.#emit({ type: 'answered', call: eventCall(call), settlement: answer.kind, durationMs });
  }
}
