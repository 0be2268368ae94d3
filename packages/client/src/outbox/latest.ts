/** How many are kept: what comes late comes moments late. */
const KEPT = 100;

/** A map that forgets its oldest entry when it has too many. */
export class Latest<V> extends Map<string, V> {
  override set(id: string, value: V): this {
    super.set(id, value);
    if (this.size > KEPT) this.delete(this.keys().next().value as string);
    return this;
  }
}
