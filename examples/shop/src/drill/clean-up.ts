/** What was opened, closed in reverse order, all of it even when some of it fails. */
export class CleanUp implements AsyncDisposable {
  readonly #closers: (() => unknown)[] = [];

  /** Disposes of `opened` in its turn. */
  use<T extends AsyncDisposable>(opened: T): T {
    this.defer(() => opened[Symbol.asyncDispose]());
    return opened;
  }

  defer(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** @throws the first thing that went wrong, after everything was tried. */
  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = [];
    for (let close = this.#closers.pop(); close; close = this.#closers.pop())
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    if (errors.length > 0) throw errors[0];
  }
}
