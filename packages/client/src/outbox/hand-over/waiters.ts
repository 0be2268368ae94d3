import type { Clock } from '../../attempts/clock.js';
import { Closing } from '../../attempts/closing.js';
import { within } from '../../attempts/pause.js';
import type { UnknownReason } from '../../errors/outcome-unknown-error.js';

/** How long a storage may take to say whether it keeps an operation, once its caller does not want to wait any more. */
const KEPT_MS = 10_000;

/** One caller's wait for an operation's outcome. */
export interface Waiter {
  resolve(data: unknown): void;
  reject(error: unknown): void;
  /** Stops waiting without an outcome. */
  leave(reason: UnknownReason): void;
}

export interface WaitOptions {
  /** Stops waiting; the operation goes on. */
  readonly signal?: AbortSignal | null | undefined;
  /** @default for as long as it takes */
  readonly waitMs?: number | undefined;
}

/** Who waits for which operation. Ending a wait never touches the operation. */
export class Waiters {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<Waiter>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits until `end` ends it, or until the options do; `onLeave` makes the error for the latter. Nobody leaves before the
   * operation is kept: what they are told of it would otherwise be untrue of one that storage refuses a moment later.
   * A storage that does not answer at all keeps them {@link KEPT_MS} longer, and no more; then nobody knows.
   */
  wait(
    id: string,
    { signal, waitMs }: WaitOptions,
    onLeave: (reason: UnknownReason) => unknown,
    kept?: Promise<unknown>,
  ): Promise<unknown> {
    const all = this.#waiting.get(id) ?? new Set<Waiter>();
    this.#waiting.set(id, all);
    return new Promise<unknown>((resolve, reject) => {
      const finish = () => {
        all.delete(waiter);
        callOff?.();
        signal?.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        resolve(data) {
          finish();
          resolve(data);
        },
        reject(error) {
          finish();
          reject(error);
        },
        leave: (reason) => waiter.reject(onLeave(reason)),
      };
      const leave = async (reason: UnknownReason) => {
        const told = kept?.then(
          () => false,
          // Its run says so.
          () => true,
        );
        const isRefused = told && (await within(KEPT_MS, this.#clock, new Closing(), told));
        if (!isRefused && all.has(waiter)) waiter.leave(reason);
      };
      const abort = () => leave('aborted');
      const callOff = waitMs === undefined ? undefined : this.#clock.after(waitMs, () => leave('wait-over'));
      all.add(waiter);
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) abort();
    });
  }

  has(id: string): boolean {
    return (this.#waiting.get(id)?.size ?? 0) > 0;
  }

  /** Ends every wait for one operation, or for all of them. */
  end(id: string | undefined, how: (waiter: Waiter) => void): void {
    const waiting = id === undefined ? [...this.#waiting.values()] : [this.#waiting.get(id) ?? []];
    for (const waiters of waiting) [...waiters].forEach(how);
    if (id === undefined) this.#waiting.clear();
    else this.#waiting.delete(id);
  }
}
