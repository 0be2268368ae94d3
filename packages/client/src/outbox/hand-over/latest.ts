/** How many are kept if nobody says so: what comes late comes moments late. */
const KEPT = 100;

/** A map that forgets its oldest entry when it has too many. */
export class Latest<V, K = string> extends Map<K, V> {
  readonly #most: number;

  constructor(most = KEPT) {
    super();
    this.#most = most;
  }

  override set(id: K, value: V): this {
    super.set(id, value);
    if (this.size > this.#most) this.delete(this.keys().next().value as K);
    return this;
  }
}
