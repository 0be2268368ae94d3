/** Removals that are under way, or that storage refused. */
export class Removals {
  /** What storage may hold though it is not there any more. */
  readonly ids = new Set<string>();
  readonly #underWay = new Map<string, Promise<unknown>>();

  /** Never rejected: fulfilled with what storage said if it refused. */
  add(id: string, remove: () => Promise<void>): Promise<unknown> {
    this.ids.add(id);
    const removal = remove()
      .then(
        () => void this.ids.delete(id),
        (error: unknown) => error,
      )
      .finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, removal);
    return removal;
  }

  /** When all of them, or the one of `id`, have reached storage or were refused. */
  async ended(id?: string): Promise<void> {
    await Promise.all(id === undefined ? this.#underWay.values() : [this.#underWay.get(id)]);
  }
}
