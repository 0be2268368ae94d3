import { setTimeout as delay } from 'node:timers/promises';
import type { ProxyEvent } from '@trpc-once/faulty-network';

export type Forwarded = Extract<ProxyEvent, { readonly type: 'forwarded' }>;

/** Finds the moments at which a mishap hurts: when a request is on its way to a server, or inside one. */
export class Moments {
  /** Resolves when all operations have their outcome. */
  readonly over: Promise<void>;
  readonly #waiting = new Set<(event: Forwarded) => void>();

  constructor(over: Promise<void>) {
    this.over = over;
  }

  /** To be told of everything that the network does. */
  note(event: ProxyEvent): void {
    if (event.type === 'forwarded') for (const look of [...this.#waiting]) look(event);
  }

  /**
   * Waits for the next such request, and `afterMs` more, while a server works on it.
   * @param over resolves when there will be none any more
   * @returns false when it is over before there is one.
   */
  async next(
    isSuch: (event: Forwarded) => boolean,
    afterMs: number,
    over: Promise<unknown> = this.over,
  ): Promise<boolean> {
    let look: (event: Forwarded) => void = () => {};
    const seen = new Promise<true>((resolve) => {
      look = (event) => {
        if (isSuch(event)) resolve(true);
      };
      this.#waiting.add(look);
    });
    const found = await Promise.race([seen, over.then(() => false)]);
    this.#waiting.delete(look);
    if (found) await delay(afterMs);
    return found;
  }
}
