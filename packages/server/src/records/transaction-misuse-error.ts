/** `tx` was used in a way that would carry writes out of the transaction. The message says how to mend it. */
export class TransactionMisuseError extends Error {
  override readonly name = 'TransactionMisuseError';
}
