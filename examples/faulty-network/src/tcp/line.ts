import { once } from 'node:events';
import type { Socket } from 'node:net';
import { reset } from '../reset.js';
import type { Conditions } from './conditions.js';

/** How much one direction holds back before it stops reading: then the sender is made to wait, as on a full wire. */
const MOST_HELD_BYTES = 1_048_576;

export interface LineOptions {
  readonly from: Socket;
  readonly to: Socket;
  readonly conditions: Conditions;
  /** Asked before bytes pass: how many of them still may before the connection is cut; `undefined` for all. */
  readonly cutAt: (bytes: Buffer, line: object) => number | undefined;
  readonly onPassed: (byteCount: number) => void;
  readonly cut: () => void;
}

/** One direction of one connection. Bytes, the end and a reset wait in order while the network is paused or slow. */
export class Line {
  readonly #options: LineOptions;
  readonly #held: { readonly item: Buffer | 'end' | 'reset'; readonly due: number }[] = [];
  #heldBytes = 0;
  #running = false;
  #cut = false;

  constructor(options: LineOptions) {
    this.#options = options;
    const { from } = options;
    from.on('data', (bytes: Buffer) => {
      this.#heldBytes += bytes.length;
      if (this.#heldBytes >= MOST_HELD_BYTES) from.pause();
      this.#hold(bytes);
    });
    from.once('end', () => this.#hold('end'));
    from.once('error', () => this.#hold('reset'));
  }

  #hold(item: Buffer | 'end' | 'reset'): void {
    this.#held.push({ item, due: this.#options.conditions.due() });
    // Only closing the proxy ends a run early, and then there is nobody left to carry for.
    if (!this.#running) this.#run().catch(() => {});
  }

  async #run(): Promise<void> {
    this.#running = true;
    const { from, to, conditions } = this.#options;
    for (let next = this.#held.shift(); next !== undefined; next = this.#held.shift()) {
      await conditions.passable(next.due);
      if (this.#cut || to.destroyed) break;
      if (next.item === 'end') to.end();
      else if (next.item === 'reset') reset(to);
      else {
        await this.#pass(next.item);
        this.#heldBytes -= next.item.length;
        if (from.isPaused() && this.#heldBytes < MOST_HELD_BYTES) from.resume();
      }
    }
    this.#running = false;
  }

  async #pass(bytes: Buffer): Promise<void> {
    const { to, cutAt, onPassed, cut } = this.#options;
    const at = cutAt(bytes, this);
    const allowed = at === undefined ? bytes : bytes.subarray(0, at);
    onPassed(allowed.length);
    if (at !== undefined) {
      // The cut comes when these bytes are out; what is held behind them must not slip through until then.
      this.#cut = true;
      to.write(allowed, cut);
    } else if (!to.write(allowed)) await Promise.race([once(to, 'drain'), once(to, 'close')]).catch(() => {});
  }
}
