/**
 * Counts the attempts per identity. Forgets the identities it has not seen for longest, so that a run of days does not
 * fill the memory; 100,000 of them take some 20 MB, and no operation is still being retried after so many others.
 */
export class AttemptCounter {
  readonly #attempts = new Map<string, number>();
  readonly #most: number;

  constructor(most = 100_000) {
    this.#most = most;
  }

  /** The number of this attempt, from 1. */
  next(identity: string): number {
    const attempt = (this.#attempts.get(identity) ?? 0) + 1;
    this.#attempts.delete(identity); // Set again below, it becomes the newest: a Map keeps the order of insertion.
    this.#attempts.set(identity, attempt);
    if (this.#attempts.size > this.#most) {
      const [oldest] = this.#attempts.keys();
      if (oldest !== undefined) this.#attempts.delete(oldest);
    }
    return attempt;
  }
}
