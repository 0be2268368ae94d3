/** Counts operations whose outcome is known, each once however often it is told, and wakes who waits for a count. */
export class Milestones {
  readonly #known = new Set<string>();
  #waiting: { readonly count: number; readonly wake: () => void }[] = [];

  get count(): number {
    return this.#known.size;
  }

  add(reference: string): void {
    this.#known.add(reference);
    const due = this.#waiting.filter(({ count }) => count <= this.count);
    this.#waiting = this.#waiting.filter(({ count }) => count > this.count);
    for (const { wake } of due) wake();
  }

  /** Resolves when so many are known. */
  async reached(count: number): Promise<void> {
    if (count <= this.count) return;
    await new Promise<void>((wake) => {
      this.#waiting.push({ count, wake });
    });
  }
}
