/** A program cannot begin as it was asked to. The message says why, and what would do. */
export class CannotBeginError extends Error {
  override readonly name = 'CannotBeginError';
}
