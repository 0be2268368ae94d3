import { isOutboxStorageError } from '../../errors/outbox-storage-error.js';
import type { Foundation } from '../foundation.js';
import { type Operation, operationId } from '../operation/operation.js';
import type { Others } from '../others/others.js';
import type { DamagedRecord } from './damaged-record.js';
import { KnownOperations } from './known-operations.js';
import { isLeaseId } from './lease-id.js';
import { decodeRecord, encodeRecord } from './record-codec.js';

/** No record is empty. */
const NOBODY_KNOWS = '';

/** What it needs of the outbox. */
export interface StoreNeeds extends Foundation {
  readonly others: Others;
  readonly runs: { isAhead(id: string): boolean };
}

/**
 * The operations as this process knows them, over the storage that keeps them. Every change is made here first, in the
 * same tick, so that two calls of one tick see each other; then it is written.
 */
export class StoredOperations extends KnownOperations {
  readonly #outbox: StoreNeeds;
  /** What storage is known to hold; {@link NOBODY_KNOWS} of what it refused, and may hold all the same. */
  readonly #texts = new Map<string, string>();
  /** Writes and removals under way, and removals that storage refused: whatever is read of these is out of date. */
  readonly #unsettled = new Map<string, Promise<unknown>>();
  /** What has changed here since the latest reading began. */
  #touched = new Set<string>();
  #hasRead = false;
  #loading: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  damaged: readonly DamagedRecord[] = [];

  constructor(outbox: StoreNeeds) {
    super();
    this.#outbox = outbox;
  }

  /**
   * Reads storage again. Callers of one moment share one reading, which begins after they called.
   * @param isOurs whether an operation is being moved on here, so that memory is ahead of storage
   */
  load(isOurs = (id: string) => this.#outbox.runs.isAhead(id)): Promise<void> {
    // Reading opens the storage again, which may be another one's by now.
    if (this.#outbox.closing.closed) return Promise.reject(new Error('the outbox was closed'));
    this.#next ??= this.#loading
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        this.#loading = this.#read(isOurs);
        return this.#loading;
      });
    return this.#next;
  }

  async #read(isOurs: (id: string) => boolean): Promise<void> {
    const { storage, others } = this.#outbox;
    // What is changing here, or changes while storage is read, is newer than what is read.
    const touched = new Set(this.#unsettled.keys());
    this.#touched = touched;
    const entries = await storage.entries();
    const damaged: DamagedRecord[] = [];
    const ours = (id: string) => touched.has(id) || isOurs(id);
    const present = new Set<string>();
    for (const entry of entries) {
      const { id, text, reason } = entry;
      present.add(id);
      if (isLeaseId(id) || ours(id) || this.isStored(id, text)) continue;
      try {
        if (reason) throw new Error(reason);
        const operation = decodeRecord(id, text);
        if (operation.deliveredAt === undefined) this.found(operation, text!);
        else {
          present.delete(id);
          others.foundHandedOver(id, operation);
        }
      } catch (error) {
        damaged.push({ ...entry, reason: (error as Error).message });
      }
    }
    for (const [id] of this.all()) if (!present.has(id) && !ours(id)) this.missing(id);
    this.#hasRead = true;
    this.damaged = damaged;
    super.touch();
  }

  /** Whether this is what storage is known to hold. */
  isStored(id: string, text: string | undefined): boolean {
    return !!text && this.#texts.get(id) === text;
  }

  /** Whether storage refused it, and may hold it all the same: nothing of it may be sent before that is known. */
  isInDoubt(id: string): boolean {
    return this.#texts.get(id) === NOBODY_KNOWS;
  }

  /** Whether what is known of it is on its way to storage. */
  isChanging(id: string): boolean {
    return this.get(id) !== undefined && this.#unsettled.has(id);
  }

  /** When what was being written or removed of an operation has reached storage, or was refused. */
  async settled(id: string): Promise<void> {
    await this.#unsettled.get(id);
  }

  /** The same of all of them. */
  async allSettled(): Promise<void> {
    await Promise.all(this.#unsettled.values());
  }

  /** Storage holds this. */
  found(operation: Operation, text: string): void {
    this.#texts.set(this.put(operation), text);
    // What the first reading finds is no news: it was there.
    if (this.#hasRead) this.#announce(operation);
  }

  /** Somebody else says that it is like this. Storage will say it again in its own words. */
  heard(operation: Operation): void {
    this.#texts.delete(this.put(operation));
    this.#announce(operation);
  }

  /** Storage does not hold it: somebody else has removed it, unless it is in doubt. @returns it, if it is */
  missing(id: string): Operation | undefined {
    const known = this.get(id);
    if (!known || this.isInDoubt(id)) return known;
    this.gone(known, 'gone');
    return undefined;
  }

  gone(operation: Operation, type: 'delivered' | 'dismissed' | 'gone'): void {
    const id = operationId(operation);
    this.forget(id);
    this.#texts.delete(id);
    this.#outbox.listeners.tell({ type, operation });
  }

  /** Without writing it. */
  note(operation: Operation): Operation {
    this.put(operation);
    this.#announce(operation);
    this.#outbox.others.tell(operation.state, operation);
    return operation;
  }

  /**
   * Stores a new operation.
   * @throws OutboxStorageError when storage refuses. Nothing of it is left then, unless storage takes nothing back either
   * and does not tell: then it is still here, and in doubt.
   */
  async insert(operation: Operation): Promise<void> {
    const { storage, others } = this.#outbox;
    const id = this.put(operation);
    try {
      // In the same tick, or a reading that begins in between takes it for gone, and it is in storage all the same.
      await this.#write(id, operation, async (text) => {
        // A key can be used again as soon as its outcome was delivered, when its removal may still be under way.
        await this.settled(id);
        await storage.set(id, text);
        return true;
      });
    } catch (error) {
      const left = await this.#takeBack(id, operation, error);
      this.touch(id);
      if (left === 'nothing') this.forget(id);
      else this.#unsettled.delete(id);
      if (left === 'unknown') {
        this.#texts.set(id, NOBODY_KNOWS);
        this.#outbox.listeners.tell({ type: 'storage-failed', operation, error });
      }
      if (left !== 'all') throw error;
      this.#texts.set(id, encodeRecord(operation));
    }
    this.#announce(operation);
    others.tell(operation.state, operation);
  }

  /** What is left of a refused write: it can have arrived all the same, and would be sent after a reload. */
  async #takeBack(id: string, operation: Operation, error: unknown): Promise<'nothing' | 'all' | 'unknown'> {
    const { storage } = this.#outbox;
    // A storage that says why it refused has not begun: it is full, or cannot be opened at all. To take back nothing would
    // only make its caller wait as long once more.
    if (isOutboxStorageError(error) && error.reason !== 'failed') return 'nothing';
    const refusal = await this.#remove(id, () => storage.delete(id));
    if (refusal === undefined) return 'nothing';
    try {
      const entry = await storage.get(id);
      if (!entry) return 'nothing';
      return entry.text === encodeRecord(operation) ? 'all' : 'unknown';
    } catch {
      return 'unknown';
    }
  }

  /**
   * Makes a change known and stores it. A storage that refuses is told of, and changes nothing else.
   * @returns `undefined` when somebody else has removed the operation meanwhile; it stays so
   */
  async save(operation: Operation): Promise<Operation | undefined> {
    const id = operationId(operation);
    if (!this.get(id)) return undefined;
    const { others, listeners } = this.#outbox;
    this.note(operation);
    try {
      const replace = (text: string) => others.replace(id, this.#texts.get(id) || undefined, text);
      if (!(await this.#write(id, operation, replace))) {
        this.gone(operation, 'gone');
        return undefined;
      }
      if (this.get(id) === operation) others.tell(operation.state, operation, true);
    } catch (error) {
      listeners.tell({ type: 'storage-failed', operation, error });
    }
    return operation;
  }

  /** Forgets an operation at once, then in storage. Never rejected: fulfilled with what storage said if it refused. */
  remove(operation: Operation, why: 'delivered' | 'dismissed'): Promise<unknown> {
    const id = operationId(operation);
    const { storage, others, listeners } = this.#outbox;
    return this.#remove(id, async () => {
      this.gone(operation, why);
      others.tell(why, operation);
      try {
        await (why === 'delivered' ? others.handedOver(id, operation) : storage.delete(id));
        others.tell(why, operation, true);
      } catch (error) {
        listeners.tell({ type: 'storage-failed', operation, error });
        throw error;
      }
    });
  }

  async #write(id: string, operation: Operation, put: (text: string) => Promise<boolean>): Promise<boolean> {
    const text = encodeRecord(operation);
    const writing = put(text);
    const isOver = () => this.#isSettled(id, settled);
    const settled: Promise<unknown> = writing.then(isOver, isOver);
    this.#unsettled.set(id, settled);
    const there = await writing;
    if (there) this.#texts.set(id, text);
    return there;
  }

  #remove(id: string, remove: () => Promise<void>): Promise<unknown> {
    const settled: Promise<unknown> = remove().then(
      () => this.#isSettled(id, settled),
      (error: unknown) => error,
    );
    this.#unsettled.set(id, settled);
    return settled;
  }

  #isSettled(id: string, how: Promise<unknown>): void {
    if (this.#unsettled.get(id) === how) this.#unsettled.delete(id);
  }

  /** What is being read is older than what is known of it now. */
  override touch(id: string): void {
    this.#touched.add(id);
    super.touch(id);
  }

  #announce(operation: Operation): void {
    this.#outbox.listeners.tell({ type: operation.state, operation });
  }
}
