/**
 * A handler ran for longer than `runTimeoutMs`. Its transaction is rolled back, and what it still does is not heard: a
 * statement that it sends through `tx` from then on is rejected with this error.
 */
export class RunTimeoutError extends Error {
  override readonly name = 'RunTimeoutError';
  /** The limit, in milliseconds. */
  readonly runTimeoutMs: number;

  constructor(runTimeoutMs: number) {
    super(
      `the handler ran for longer than ${runTimeoutMs} ms (runTimeoutMs): nothing of it is committed, and tx is closed`,
    );
    this.runTimeoutMs = runTimeoutMs;
  }
}
