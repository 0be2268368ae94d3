/** The app's way to sign in again, shared by all operations that are refused together. */
export class Session {
  readonly #renew: (() => Promise<boolean>) | undefined;
  #renewals = 0;
  #renewing: Promise<boolean> | undefined;

  constructor(renew: (() => Promise<boolean>) | undefined) {
    this.#renew = renew;
  }

  /** How often it was renewed so far; look before an attempt, to tell later which session it was sent in. */
  get renewals(): number {
    return this.#renewals;
  }

  /** Whether the app is at it just now. */
  get renewing(): boolean {
    return this.#renewing !== undefined;
  }

  /**
   * Whether there is a session newer than the one that was refused; renews it if there is none yet. A renewal that
   * throws has not worked.
   */
  async renewedSince(renewals: number): Promise<boolean> {
    if (this.#renewals > renewals) return true;
    this.#renewing ??= this.#tryToRenew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #tryToRenew(): Promise<boolean> {
    try {
      const renewed = (await this.#renew?.()) === true;
      if (renewed) this.#renewals += 1;
      return renewed;
    } catch {
      return false;
    }
  }
}
