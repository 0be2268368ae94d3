/** Lets calls of one intent, key or lane into the outbox one after the other. */
export class Entering {
  readonly #last = new Map<string, Promise<void>>();

  /** Waits for the calls before this one; the returned function lets the next one in. */
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
}
