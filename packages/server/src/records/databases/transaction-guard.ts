import { controlsTransaction } from './transaction-control.js';

/** `tx` was used in a way that would carry writes out of the transaction. The message says how to mend it. */
export class TransactionMisuseError extends Error {
  override readonly name = 'TransactionMisuseError';
}

/**
 * Watches the statements that a handler sends: refuses those that would end the transaction under the record's feet,
 * and all that come after the handler returned; remembers the first that failed.
 */
export interface TransactionGuard {
  /** @throws TransactionMisuseError */
  check(text: unknown): void;
  /** Notes a failure, and marks the promise as looked at. */
  watch<T>(sent: T): T;
  end(): void;
  firstError(): unknown;
}

export function transactionGuard(): TransactionGuard {
  let ended = false;
  let first: unknown;
  return {
    check(text) {
      if (ended)
        throw new TransactionMisuseError(
          'tx was used after its handler had returned: await every statement before you return',
        );
      if (typeof text === 'string' && controlsTransaction(text))
        throw new TransactionMisuseError(
          `tx.query(${JSON.stringify(text.trim().slice(0, 40))}) would end the transaction that the outcome settles in: throw to roll back, return to commit; savepoints are free to use`,
        );
    },
    watch(sent) {
      if (sent instanceof Promise)
        sent.catch((error: unknown) => {
          first ??= error;
        });
      return sent;
    },
    end() {
      ended = true;
    },
    firstError: () => first,
  };
}
