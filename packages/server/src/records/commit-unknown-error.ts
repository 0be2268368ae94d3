/** COMMIT was sent and its answer was lost: the transaction may have committed or not. Never a reason to run again. */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError';

  constructor(cause: unknown) {
    super('the answer to COMMIT was lost', { cause });
  }
}
