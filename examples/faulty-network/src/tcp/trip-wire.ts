/** Which way bytes travel. */
export type Direction = 'to-upstream' | 'to-client';

/**
 * How many of `bytes` still pass before the connection is to be cut; `undefined` when all do.
 * `line` tells one connection's bytes from another's.
 */
export type Meets = (bytes: Buffer, line: object) => number | undefined;

/** Lets `count` bytes pass, counted over all connections, and cuts instead of the next one. */
export function afterBytes(count: number): Meets {
  if (!Number.isInteger(count) || count < 0)
    throw new TypeError(`a number of bytes must be a whole number from 0, not ${String(count)}`);
  let left = count;
  return (bytes) => {
    if (bytes.length > left) return left;
    left -= bytes.length;
    return undefined;
  };
}

/** Lets everything before `text` pass and cuts instead of it, also when it is spread over several chunks. */
export function beforeText(text: string): Meets {
  const wanted = Buffer.from(text);
  if (wanted.length === 0) throw new TypeError('a text to wait for must not be empty');
  const passed = new WeakMap<object, Buffer>();
  return (bytes, line) => {
    const before = passed.get(line) ?? Buffer.alloc(0);
    const seen = Buffer.concat([before, bytes]);
    const at = seen.indexOf(wanted);
    passed.set(line, seen.subarray(Math.max(0, seen.length - wanted.length + 1)));
    // What of the text came in an earlier chunk has passed already; no more of it will.
    return at === -1 ? undefined : Math.max(0, at - before.length);
  };
}

/** The wires that are armed. Each trips once, on whichever connection meets it first. */
export class TripWires {
  readonly #armed = new Set<{ direction: Direction; meets: Meets; done: (tripped: boolean) => void }>();

  /** Resolves with `true` when it tripped, with `false` when it was disarmed before. */
  arm(direction: Direction, meets: Meets): Promise<boolean> {
    return new Promise((done) => {
      this.#armed.add({ direction, meets, done });
    });
  }

  /** As {@link Meets}, for all armed wires of that direction at once. */
  trip(direction: Direction, bytes: Buffer, line: object): number | undefined {
    for (const wire of this.#armed) {
      const at = wire.direction === direction ? wire.meets(bytes, line) : undefined;
      if (at === undefined) continue;
      this.#armed.delete(wire);
      wire.done(true);
      return at;
    }
    return undefined;
  }

  disarm(): void {
    for (const { done } of this.#armed) done(false);
    this.#armed.clear();
  }
}
