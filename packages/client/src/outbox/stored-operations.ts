import type { DamagedRecord } from './damaged-record.js';
import type { OutboxEvent } from './events.js';
import { Latest } from './latest.js';
import { isLeaseId } from './lease-id.js';
import type { News } from './news.js';
import { type Operation, oldestFirst, operationId } from './operation.js';
import { decodeRecord, encodeRecord } from './record-codec.js';
import { Removals } from './removals.js';
import type { OutboxStorage } from './storage.js';
import type { StorePorts } from './store-ports.js';
import { Written } from './written.js';

/** How long a delivered outcome stays for others who wait for it, where news do not carry it to them. */
const KEPT_DELIVERED_MS = 120_000;

/**
 * The operations as this process knows them, over the storage that keeps them. Every change is made here first, in the
 * same tick, so that two calls of one tick see each other; then it is written.
 */
export class StoredOperations {
  readonly #ports: StorePorts;
  readonly #storage: OutboxStorage;
  readonly #operations = new Map<string, Operation>();
  readonly #written: Written;
  /** When those were made that ended lately: late news bring none of them back, whose key may be another's by now. */
  readonly #ended = new Latest<number>();
  readonly removals = new Removals();
  #touched = new Set<string>();
  #hasRead = false;
  #loading: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #snapshot: { of: string | null; list: readonly Operation[] } | undefined;
  damaged: readonly DamagedRecord[] = [];

  constructor(ports: StorePorts) {
    this.#ports = ports;
    this.#storage = ports.storage;
    this.#written = new Written(ports.storage, ports.coordination.shared);
  }

  /**
   * Reads storage again. Callers of one moment share one reading, which begins after they called.
   * @param isOurs whether an operation is being moved on here, so that memory is ahead of storage
   */
  load(isOurs: (id: string) => boolean): Promise<void> {
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
    // What is changing here, or changes while storage is read, is newer than what is read.
    const touched = new Set([...this.#written.ids(), ...this.removals.ids]);
    this.#touched = touched;
    const entries = await this.#storage.entries();
    const damaged: DamagedRecord[] = [];
    const ours = (id: string) => touched.has(id) || isOurs(id);
    const present = new Set<string>();
    for (const { id, text, reason } of entries) {
      present.add(id);
      if (isLeaseId(id) || ours(id) || this.#written.is(id, text)) continue;
      try {
        if (reason) throw new Error(reason);
        const operation = decodeRecord(id, text);
        if (operation.deliveredAt === undefined) this.#found(id, operation, text!);
        else {
          present.delete(id);
          this.#ports.delivered?.(operation);
          const age = this.#ports.clock.now() - operation.deliveredAt;
          if (age > KEPT_DELIVERED_MS) this.#storage.delete(id).catch(() => {});
        }
      } catch (error) {
        damaged.push({ id, text, reason: (error as Error).message });
      }
    }
    for (const [id, operation] of [...this.#operations])
      if (!present.has(id) && !ours(id)) this.#gone(id, operation, 'gone');
    this.#hasRead = this.#ports.coordination.shared;
    this.damaged = damaged;
    this.#snapshot = undefined;
  }

  /** Reads one operation again. `undefined` when it is not there any more. */
  async refresh(id: string): Promise<Operation | undefined> {
    await this.removals.ended(id);
    const entry = await this.#storage.get(id);
    const known = this.#operations.get(id);
    if (!entry) {
      if (known) this.#gone(id, known, 'gone');
      return undefined;
    }
    // Unchanged, and nobody has said that they sent it since: what is known of it here still holds.
    const same = this.#written.is(id, entry.text);
    if (known && same && known.state !== 'sending' && this.#ports.coordination.carries) return known;
    const operation = decodeRecord(id, entry.text);
    this.#touch(id);
    if (operation.deliveredAt === undefined) this.#found(id, operation, entry.text!);
    else if (known) this.#gone(id, known, 'delivered');
    return operation;
  }

  /**
   * Takes over what another tab says it did. Said again it is for those who have read storage since they heard of it, or
   * before they could, and found it as it was before; for everybody else it is no news.
   */
  adopt([type, operation, again]: News): void {
    const id = operationId(operation);
    const known = this.#operations.get(id);
    this.#touch(id);
    if (type === 'delivered' || type === 'dismissed') {
      if (known || !again) this.#gone(id, operation, type);
    } else if (
      operation.createdAt > (this.#ended.get(id) ?? 0) &&
      (!again || known?.state !== type || known.attempts !== operation.attempts)
    ) {
      this.#operations.set(id, operation);
      // Storage will say it again in its own words.
      this.#written.forget(id);
      this.#ports.listeners.tell({ type, operation } as OutboxEvent);
    }
  }

  #found(id: string, operation: Operation, text: string): void {
    this.#snapshot = undefined;
    this.#operations.set(id, operation);
    this.#written.found(id, text);
    // What the first reading finds is no news: it was there.
    if (this.#hasRead) this.#ports.listeners.tell({ type: operation.state, operation });
  }

  #gone(id: string, operation: Operation, type: 'delivered' | 'dismissed' | 'gone'): void {
    this.#touch(id);
    this.#operations.delete(id);
    this.#ended.set(id, operation.createdAt);
    this.#written.forget(id);
    this.#ports.listeners.tell({ type, operation });
  }

  get(id: string): Operation | undefined {
    return this.#operations.get(id);
  }

  /** One owner's, oldest first; the same array until something changes. */
  of(owner: string | null): readonly Operation[] {
    if (this.#snapshot?.of !== owner || !this.#snapshot) {
      const list = oldestFirst([...this.#operations.values()].filter((one) => one.owner === owner));
      this.#snapshot = { of: owner, list: Object.freeze(list) };
    }
    return this.#snapshot.list;
  }

  /** Without writing it. */
  note(operation: Operation): Operation {
    const id = operationId(operation);
    this.#touch(id);
    this.#operations.set(id, operation);
    this.#tell(operation.state, operation);
    return operation;
  }

  /**
   * Stores a new operation.
   * @throws OutboxStorageError when storage refuses; nothing of it is left then.
   */
  async insert(operation: Operation): Promise<void> {
    const id = operationId(operation);
    this.#touch(id);
    this.#operations.set(id, operation);
    // A key can be used again as soon as its outcome was delivered, when its removal may still be under way.
    await this.removals.ended(id);
    this.removals.ids.delete(id);
    try {
      await this.#written.insert(id, encodeRecord(operation));
    } catch (error) {
      this.#operations.delete(id);
      this.#touch(id);
      // A refused write can have arrived all the same, and would be sent after a reload.
      await this.removals.add(id, () => this.#storage.delete(id));
      throw error;
    }
    this.#tell(operation.state, operation);
  }

  /**
   * Makes a change known and stores it. A storage that refuses is told of, and changes nothing else.
   * @returns `undefined` when somebody else has removed the operation meanwhile; it stays so
   */
  async save(operation: Operation): Promise<Operation | undefined> {
    const id = operationId(operation);
    if (!this.#operations.has(id)) return undefined;
    this.note(operation);
    try {
      if (!(await this.#written.replace(id, encodeRecord(operation)))) {
        this.#gone(id, operation, 'gone');
        return undefined;
      }
      if (this.#operations.get(id) === operation) this.#news(operation.state, operation, true);
    } catch (error) {
      this.#ports.listeners.tell({ type: 'storage-failed', operation, error });
    }
    return operation;
  }

  /** Forgets an operation at once, then in storage. Never rejected: fulfilled with what storage said if it refused. */
  remove(operation: Operation, why: 'delivered' | 'dismissed'): Promise<unknown> {
    const id = operationId(operation);
    const { clock, coordination, listeners } = this.#ports;
    return this.removals.add(id, async () => {
      this.#gone(id, operation, why);
      this.#news(why, operation);
      try {
        await (why === 'delivered' && !coordination.carries
          ? this.#storage.set(id, encodeRecord({ ...operation, deliveredAt: clock.now() }))
          : this.#storage.delete(id));
        this.#news(why, operation, true);
      } catch (error) {
        listeners.tell({ type: 'storage-failed', operation, error });
        throw error;
      }
    });
  }

  #tell(type: Operation['state'], operation: Operation): void {
    this.#ports.listeners.tell({ type, operation });
    this.#news(type, operation);
  }

  /** @param again when storage has it: whoever reads storage from then on finds it so */
  #news(type: OutboxEvent['type'], operation: Operation, again?: true): void {
    const { shared, tell } = this.#ports.coordination;
    if (shared) tell(JSON.stringify([type, operation, again] satisfies News));
  }

  #touch(id: string): void {
    this.#touched.add(id);
    this.#snapshot = undefined;
  }
}
