import { laneName, type Operation, oldestFirst, operationId } from '../operation/operation.js';

/** The operations as this process knows them, whichever way they are looked for. */
export class KnownOperations {
  readonly #operations = new Map<string, Operation>();
  /** The same by their lanes. */
  readonly #lanes = new Map<string, Map<string, Operation>>();
  #snapshot: { of: string | null | undefined; list: readonly Operation[] } | undefined;

  get(id: string): Operation | undefined {
    return this.#operations.get(id);
  }

  /** Everybody's, by their ids. */
  protected all(): [string, Operation][] {
    return [...this.#operations];
  }

  /** One owner's, oldest first; the same array until something changes. */
  of(owner: string | null | undefined): readonly Operation[] {
    if (this.#snapshot?.of !== owner || !this.#snapshot) {
      const list = oldestFirst([...this.#operations.values()].filter((one) => one.owner === owner));
      this.#snapshot = { of: owner, list: Object.freeze(list) };
    }
    return this.#snapshot.list;
  }

  /** One of an owner's, whichever is found first. Without an order, or ten thousand calls would sort ten thousand times. */
  find(owner: string | null, is: (operation: Operation) => boolean): Operation | undefined {
    for (const one of this.#operations.values()) if (one.owner === owner && is(one)) return one;
    return undefined;
  }

  /** All of the operation's lane, in no order. */
  inLane(of: Pick<Operation, 'owner' | 'lane'>): Operation[] {
    return [...(this.#lanes.get(laneName(of))?.values() ?? [])];
  }

  /** @returns its id */
  protected put(operation: Operation): string {
    const id = operationId(operation);
    this.touch(id);
    this.#operations.set(id, operation);
    const name = laneName(operation);
    this.#lanes.set(name, (this.#lanes.get(name) ?? new Map()).set(id, operation));
    return id;
  }

  protected forget(id: string): void {
    this.touch(id);
    const name = laneName(this.#operations.get(id) ?? {});
    const line = this.#lanes.get(name);
    line?.delete(id);
    if (line?.size === 0) this.#lanes.delete(name);
    this.#operations.delete(id);
  }

  /** Something changes, of this one or of all. */
  touch(_id?: string): void {
    this.#snapshot = undefined;
  }
}
