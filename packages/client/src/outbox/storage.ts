/** One stored record. */
export interface StoredEntry {
  /** What it was set under; of a record that cannot be read, whatever names it. */
  readonly id: string;
  /** `undefined` when it is there and cannot be read. */
  readonly text: string | undefined;
}

/**
 * Where an outbox keeps its operations: text by id, nothing more, so that any key-value store can be one. What the texts
 * say is the outbox's affair.
 *
 * @throws OutboxStorageError from every method, when the storage refuses
 */
export interface OutboxStorage {
  /** For messages. */
  readonly name: string;
  /** Whether it outlives the process; decides whether a new client resumes by itself. */
  readonly durable: boolean;
  /** The longest text it takes, in UTF-16 code units. @default no limit of its own */
  readonly maxTextLength?: number;
  /** All of them. One that cannot be read must not hide the others. */
  entries(): Promise<readonly StoredEntry[]>;
  /**
   * Stores or replaces. Resolves only once the text would survive the process's death, and is all or nothing: after a
   * rejection the former text is still there.
   */
  set(id: string, text: string): Promise<void>;
  /** Does nothing when there is none. */
  delete(id: string): Promise<void>;
  /** Gives up what the process holds of it. */
  close?(): Promise<void>;
}
