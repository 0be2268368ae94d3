import type { Row, Statement } from './statement.js';

/** What one transaction offers to the records, and to the handler. */
export interface Session<TTransaction> {
  /** What handlers get as `tx`. Good for as long as the handler runs, and no longer. */
  readonly tx: TTransaction;
  /** Sends a statement; several may be sent without waiting for the ones before. */
  query(statement: Statement): Promise<Row[]>;
  /**
   * Names the transaction's last statement: it may leave together with COMMIT. Its error fails the transaction.
   */
  last(statement: Statement): void;
  /**
   * The first error that any statement of this transaction met. A handler may have caught it, but the transaction is
   * lost all the same, and the error says why.
   */
  firstError(): unknown;
  /**
   * Whether `tx` lets a handler end the transaction, as an ORM's does. Then it is looked for before a handler's error counts.
   * @default false
   */
  readonly mayEnd?: boolean;
}

/**
 * Where transactions come from: the one thing to write for another driver or an ORM.
 *
 * A transaction commits when `work` resolves and rolls back when it throws; `transaction` then rejects with what `work`
 * threw, or with the connection's error where nobody confirmed the rollback. Where COMMIT was sent and no answer to it
 * came, it rejects with `CommitUnknownError`, and only then.
 */
export interface Database<TTransaction> {
  transaction<T>(work: (session: Session<TTransaction>) => Promise<T>): Promise<T>;
  /** One statement in a transaction of its own, on any connection. */
  query(statement: Statement): Promise<Row[]>;
  /** Frees what was opened here; a pool that was handed in stays open. */
  close(): Promise<void>;
}
