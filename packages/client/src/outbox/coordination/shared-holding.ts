import { isOutboxStorageError } from '../../errors/outbox-storage-error.js';
import type { Operation } from '../operation/operation.js';
import { unwanted } from '../others/alone.js';
import type { Hold } from '../others/hold.js';
import type { Holding } from '../others/others.js';
import { decodeRecord } from '../store/record-codec.js';
import type { OutboxStorage } from '../store/storage.js';
import type { StoredOperations } from '../store/stored-operations.js';
import type { Coordination } from './coordination.js';

/** What it needs of the outbox. */
export interface HoldingNeeds {
  readonly storage: OutboxStorage;
  readonly store: StoredOperations;
}

/** The hold on an operation that others may want as well. */
export class SharedHolding implements Holding {
  readonly #coordination: Coordination;
  readonly #outbox: HoldingNeeds;
  readonly #id: string;
  readonly #signal: AbortSignal;
  #hold: Hold | undefined;

  constructor(coordination: Coordination, outbox: HoldingNeeds, id: string, signal: AbortSignal) {
    this.#coordination = coordination;
    this.#outbox = outbox;
    this.#id = id;
    this.#signal = signal;
  }

  get valid(): boolean {
    return this.#hold?.lost === false;
  }

  async take(): Promise<boolean> {
    if (this.valid) return false;
    this.drop();
    this.#hold = await this.#coordination.hold(`operation ${this.#id}`, this.#signal);
    return true;
  }

  async takeAndLook(known: Operation): Promise<Operation | undefined> {
    try {
      return (await this.take()) ? await this.look() : known;
    } catch (error) {
      if (!isOutboxStorageError(error) || error.reason === 'in-use') throw error;
      // A storage that refuses what a hold needs, such as a full disk, ends nobody's asking for what it has kept: of two
      // senders the server still runs an operation once.
      this.#hold ??= unwanted;
      return known;
    }
  }

  async look(): Promise<Operation | undefined> {
    const { store, storage } = this.#outbox;
    const id = this.#id;
    await store.settled(id);
    const entry = await storage.get(id);
    if (!entry) return store.missing(id);
    const known = store.get(id);
    // Unchanged, and nobody has said that they sent it since: what is known of it here still holds.
    if (known && store.isStored(id, entry.text) && known.state !== 'sending' && this.#coordination.carries)
      return known;
    const operation = decodeRecord(id, entry.text);
    if (operation.deliveredAt === undefined) store.found(operation, entry.text!);
    else if (known) store.gone(operation, 'delivered');
    return operation;
  }

  drop(): void {
    this.#hold?.release();
    this.#hold = undefined;
  }
}
