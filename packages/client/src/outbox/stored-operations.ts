import type { Listeners } from './events.js';
import { type Operation, operationId } from './operation.js';
import { decodeRecord, encodeRecord } from './record-codec.js';
import type { OutboxStorage, StoredEntry } from './storage.js';

/** A record that cannot be used. It stays in storage as it is, and hides no other. */
export interface DamagedRecord extends StoredEntry {
  readonly reason: string;
}

/**
 * The operations as this process knows them, over the storage that keeps them. Every change is made here first, in the
 * same tick, so that two calls of one tick see each other; then it is written.
 */
export class StoredOperations {
  readonly #storage: OutboxStorage;
  readonly #listeners: Listeners;
  readonly #operations = new Map<string, Operation>();
  /** What storage is known to hold, so that a load need not replace what nobody else has changed. */
  readonly #texts = new Map<string, string>();
  /** Removed here; storage may hold them for a moment longer. */
  readonly #removed = new Set<string>();
  readonly #writing = new Map<string, number>();
  readonly #removals = new Map<string, Promise<void>>();
  #touched = new Set<string>();
  #loading: Promise<void> | undefined;
  #snapshot: { of: string | null; list: readonly Operation[] } | undefined;
  damaged: readonly DamagedRecord[] = [];

  constructor(storage: OutboxStorage, listeners: Listeners) {
    this.#storage = storage;
    this.#listeners = listeners;
  }

  /** Reads storage again. Callers of one moment share one reading. */
  load(isRunning: (id: string) => boolean): Promise<void> {
    this.#loading ??= this.#read(isRunning).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #read(isRunning: (id: string) => boolean): Promise<void> {
    // What is changing here, or changes while storage is read, is newer than what is read.
    const touched = new Set([...this.#writing.keys(), ...this.#removed]);
    this.#touched = touched;
    const entries = await this.#storage.entries();
    const damaged: DamagedRecord[] = [];
    const ours = (id: string) => touched.has(id) || isRunning(id);
    for (const { id, text, reason } of entries) {
      if (ours(id) || (text !== undefined && this.#texts.get(id) === text)) continue;
      try {
        if (reason) throw new Error(reason);
        this.#operations.set(id, decodeRecord(id, text));
        this.#texts.set(id, text!);
      } catch (error) {
        damaged.push({ id, text, reason: (error as Error).message });
      }
    }
    const present = new Set(entries.map(({ id }) => id));
    for (const id of [...this.#operations.keys()])
      if (!present.has(id) && !ours(id)) {
        this.#operations.delete(id);
        this.#texts.delete(id);
      }
    this.damaged = damaged;
    this.#snapshot = undefined;
  }

  get(id: string): Operation | undefined {
    return this.#operations.get(id);
  }

  /** One owner's, oldest first; the same array until something changes. */
  of(owner: string | null): readonly Operation[] {
    if (this.#snapshot?.of !== owner || !this.#snapshot) {
      const list = [...this.#operations.values()]
        .filter((operation) => operation.owner === owner)
        .sort((a, b) => a.createdAt - b.createdAt || (a.key < b.key ? -1 : 1));
      this.#snapshot = { of: owner, list: Object.freeze(list) };
    }
    return this.#snapshot.list;
  }

  /** Makes it known at once, without writing it. */
  note(operation: Operation): Operation {
    const id = operationId(operation);
    this.#touch(id);
    this.#operations.set(id, operation);
    this.#listeners.tell({ type: operation.state, operation });
    return operation;
  }

  /**
   * Stores a new operation; `save` is for the rest of its life.
   * @throws OutboxStorageError when storage refuses; nothing of it is left then.
   */
  async insert(operation: Operation): Promise<void> {
    const id = operationId(operation);
    this.#touch(id);
    this.#operations.set(id, operation);
    // A key can be used again as soon as its outcome was delivered, when its removal may still be under way.
    await this.#removals.get(id);
    this.#removed.delete(id);
    try {
      await this.#write(id, operation);
    } catch (error) {
      this.#operations.delete(id);
      this.#touch(id);
      this.#removed.add(id);
      // A refused write can have arrived all the same, and would be sent after a reload.
      await this.#storage.delete(id).then(
        () => this.#removed.delete(id),
        () => undefined,
      );
      throw error;
    }
    this.#listeners.tell({ type: operation.state, operation });
  }

  /** Makes a change known and stores it. A storage that refuses is told of, and changes nothing else. */
  async save(operation: Operation): Promise<Operation> {
    this.note(operation);
    try {
      await this.#write(operationId(operation), operation);
    } catch (error) {
      this.#listeners.tell({ type: 'storage-failed', operation, error });
    }
    return operation;
  }

  /** Forgets an operation at once, and then in storage. */
  remove(operation: Operation, why: 'delivered' | 'dismissed'): void {
    const id = operationId(operation);
    this.#touch(id);
    this.#operations.delete(id);
    this.#texts.delete(id);
    this.#removed.add(id);
    this.#listeners.tell({ type: why, operation });
    const removal = this.#storage
      .delete(id)
      .then(
        () => void this.#removed.delete(id),
        (error) => this.#listeners.tell({ type: 'storage-failed', operation, error }),
      )
      .then(() => void this.#removals.delete(id));
    this.#removals.set(id, removal);
  }

  /** When all removals so far have reached storage, or have been refused. */
  async removals(): Promise<void> {
    await Promise.all(this.#removals.values());
  }

  async #write(id: string, operation: Operation): Promise<void> {
    const text = encodeRecord(operation);
    this.#writing.set(id, (this.#writing.get(id) ?? 0) + 1);
    try {
      await this.#storage.set(id, text);
      this.#texts.set(id, text);
    } finally {
      const left = this.#writing.get(id)! - 1;
      if (left > 0) this.#writing.set(id, left);
      else this.#writing.delete(id);
    }
  }

  #touch(id: string): void {
    this.#touched.add(id);
    this.#snapshot = undefined;
  }
}
