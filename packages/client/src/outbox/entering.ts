import type { Clock } from '../attempts/clock.js';
import type { Closing } from '../attempts/closing.js';
import type { Coordination, Hold } from './coordination/coordination.js';

/** How long a call waits for another tab that is storing one of the same intent: a matter of milliseconds. */
const ENTER_MS = 10_000;

/** What a call holds while it enters. */
export interface Entry {
  release(): void;
  /** Whether somebody else may be entering by now: the page slept. */
  lost(): boolean;
}

/** Lets calls of one intent, key or lane into the outbox one after the other: here, and over all tabs and processes. */
export class Entering {
  readonly #coordination: Coordination;
  readonly #clock: Clock;
  readonly #closing: Closing;
  readonly #last = new Map<string, Promise<void>>();

  constructor(coordination: Coordination, clock: Clock, closing: Closing) {
    this.#coordination = coordination;
    this.#clock = clock;
    this.#closing = closing;
  }

  /** Waits for the calls before this one in this process; the returned function lets the next one in. */
  async pass(names: readonly string[]): Promise<() => void> {
    const before = names.map((name) => this.#last.get(name));
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    for (const name of names) this.#last.set(name, left);
    // One by one and no more than there are: who waits here should go on before what it waited for can be over.
    for (const one of before) if (one) await one;
    return () => {
      for (const name of names) if (this.#last.get(name) === left) this.#last.delete(name);
      leave();
    };
  }

  /**
   * Takes all names for this process. Always in the order given, which is the same everywhere, so that no two wait for
   * each other.
   * @throws when that takes too long, or `signal` is aborted, or the outbox closes
   */
  async hold(names: readonly string[], signal: AbortSignal | null | undefined): Promise<Entry> {
    const leaving = new AbortController();
    const leave = () =>
      leaving.abort(new Error('another tab or process is at this intent, and does not go on'));
    const waits = [this.#clock.after(ENTER_MS, leave), this.#closing.on(leave)];
    signal?.addEventListener('abort', leave);
    const holds: Hold[] = [];
    const release = () => {
      for (const hold of holds.splice(0)) hold.release();
    };
    try {
      for (const name of names) holds.push(await this.#coordination.hold(name, leaving.signal));
      return { release, lost: () => holds.some(({ lost }) => lost) };
    } catch (error) {
      release();
      throw error;
    } finally {
      for (const callOff of waits) callOff();
      signal?.removeEventListener('abort', leave);
    }
  }
}
