import { RunTimeoutError } from '../run-timeout-error.js';
import { TransactionMisuseError } from '../transaction-misuse-error.js';
import { controlsTransaction } from './transaction-control.js';

/**
 * Watches the statements that a handler sends: refuses those that would end the transaction under the record's feet,
 * and all that come after the handler returned, or ran out of time; remembers the first that failed.
 */
export interface TransactionGuard {
  /** Why a statement may not be sent; undefined where it may. */
  refusal(text: unknown): Error | undefined;
  /** Notes a failure, and marks the promise as looked at. */
  watch<T>(sent: T): T;
  /** @param why Told to whoever uses `tx` from now on. @default it was used after its handler had returned */
  end(why?: Error): void;
  firstError(): unknown;
}

export function transactionGuard(): TransactionGuard {
  let ended: Error | undefined;
  let first: unknown;
  return {
    refusal(text) {
      if (ended) return ended;
      if (typeof text !== 'string' || !controlsTransaction(text)) return undefined;
      return new TransactionMisuseError(
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
    end(why) {
      ended ??=
        why ??
        new TransactionMisuseError(
          'tx was used after its handler had returned: await every statement before you return',
        );
    },
    firstError: () => first,
  };
}

/**
 * A statement that was not let through. Whoever neither awaits nor catches it learns of it as of any rejection; but a
 * handler that ran out of time has been answered for, and what it still tries must not end the process.
 */
export function refused(error: Error): Promise<never> {
  const rejection = Promise.reject(error);
  if (error instanceof RunTimeoutError) rejection.catch(() => {});
  return rejection;
}
