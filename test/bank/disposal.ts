/** What was opened, closed in reverse order; Node 20 has no AsyncDisposableStack yet. */
export class Disposal implements AsyncDisposable {
  readonly #closers: (() => unknown)[] = [];

  use<T extends AsyncDisposable>(opened: T): T {
    this.#closers.push(() => opened[Symbol.asyncDispose]());
    return opened;
  }

  defer(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** @throws AggregateError with everything that went wrong, after all has been tried. */
  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = [];
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0)
      throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'closing failed');
  }
}
