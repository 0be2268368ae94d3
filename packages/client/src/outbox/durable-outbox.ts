import type { RetryPolicy } from '@trpc-once/contract';
import type { Clock } from '../attempts/clock.js';
import { Closing } from '../attempts/closing.js';
import type { WireTransformer } from '../attempts/transformer.js';
import { IntentConflictError } from '../errors/intent-conflict-error.js';
import { NotSentError, type NotSentReason } from '../errors/not-sent-error.js';
import { OperationExpiredError } from '../errors/operation-expired-error.js';
import {
  type OutcomeUnknownDetails,
  OutcomeUnknownError,
  type UnknownReason,
} from '../errors/outcome-unknown-error.js';
import { Listeners, type OutboxEvent } from './events.js';
import { newOperation, type Operation, operationId } from './operation.js';
import type { Outbox, ResumeReport } from './outbox.js';
import { lastAttempt } from './outcome.js';
import { errorOf } from './run-error.js';
import type { RunEnd, RunPorts } from './run-operation.js';
import { type OnSettled, Runs } from './runs.js';
import { sameBody } from './same-body.js';
import type { OutboxStorage } from './storage.js';
import { type DamagedRecord, StoredOperations } from './stored-operations.js';
import { Waiters, type WaitOptions } from './waiters.js';

/** A call as it comes to the outbox. */
export interface Call extends WaitOptions {
  readonly key: string;
  /** Whether the caller chose the key, so that it may be in the outbox already. */
  readonly keyGiven: boolean;
  readonly path: string;
  readonly body: string | null;
  readonly intent?: string | undefined;
  readonly retry: RetryPolicy;
  readonly retentionMs: number;
  /** Told the operation's key: the call's own, or that of the operation it joins. */
  onKey?(key: string): void;
}

export interface OutboxPorts extends Omit<RunPorts, 'store' | 'closing'> {
  readonly storage: OutboxStorage;
  readonly transformer: WireTransformer;
  readonly clock: Clock;
  readonly onSettled?: OnSettled | undefined;
}

/** The outbox over a storage. */
export class DurableOutbox implements Outbox {
  readonly #ports: OutboxPorts;
  readonly #listeners = new Listeners();
  readonly #closing = new Closing();
  readonly #store: StoredOperations;
  readonly #waiters: Waiters;
  readonly #runs: Runs;

  constructor(ports: OutboxPorts) {
    this.#ports = ports;
    this.#store = new StoredOperations(ports.storage, this.#listeners);
    this.#waiters = new Waiters(ports.clock);
    this.#runs = new Runs({
      ...ports,
      owner: () => ports.owner(),
      store: this.#store,
      waiters: this.#waiters,
      listeners: this.#listeners,
      closing: this.#closing,
      onSettled: ports.onSettled,
      errorOf: (end) => errorOf(end, this.#handle(operationId(end.operation))),
    });
  }

  /**
   * Makes the call an operation, or joins the pending one that it is, and waits for the outcome.
   * @throws the settled error, or one of this package's
   */
  async submit(call: Call): Promise<unknown> {
    const { clock } = this.#ports;
    const refuse = (reason: NotSentReason, message: string, cause?: unknown): never => {
      throw new NotSentError({ key: call.key, path: call.path, reason, message, cause });
    };
    let owner: string | null = null;
    try {
      owner = this.#ports.owner();
    } catch (cause) {
      refuse('options', 'owner() threw', cause);
    }
    if (call.intent !== undefined || call.keyGiven) {
      await this.#load().catch((cause) => refuse('storage', 'the outbox could not be read', cause));
      const pending = this.#pending(call, owner);
      if (pending) return this.#join(pending, call);
    }
    if (this.#closing.closed) refuse('closed', 'the outbox was closed');
    if (call.signal?.aborted) refuse('aborted', 'the signal was aborted before anything was sent');
    const { key, path, body, intent, retry, retentionMs } = call;
    const facts = { key, owner, path, body, ...(intent !== undefined && { intent }), retry, retentionMs };
    const operation = newOperation(facts, clock.now());
    call.onKey?.(call.key);
    const kept = this.#store.insert(operation);
    const outcome = this.#wait(operation, call, kept);
    void this.#runs.start(operation, { waitMs: call.waitMs, first: () => kept });
    return outcome;
  }

  async list(): Promise<readonly Operation[]> {
    await this.#load();
    return this.snapshot();
  }

  snapshot(): readonly Operation[] {
    return this.#store.of(this.#ports.owner());
  }

  subscribe(listener: (event: OutboxEvent) => void): () => void {
    return this.#listeners.add((event) => {
      if (event.operation.owner === this.#ports.owner()) listener(event);
    });
  }

  resume(): Promise<ResumeReport>;
  resume(key: string, options?: WaitOptions): Promise<unknown>;
  resume(key?: string, options?: WaitOptions): Promise<unknown> {
    return key === undefined ? this.#resumeAll() : this.#resumeOne(this.#idOf(key), options);
  }

  wait(key: string, options?: WaitOptions): Promise<unknown> {
    return this.#waitFor(this.#idOf(key), options);
  }

  async dismiss(key: string): Promise<void> {
    await this.#load();
    const id = this.#idOf(key);
    const operation = this.#store.get(id);
    if (!operation) return;
    if (this.#runs.has(id) || !['parked', 'expired', 'settled'].includes(operation.state))
      throw new Error(`operation ${key} is pending: only a parked, expired or settled one can be dismissed`);
    this.#store.remove(operation, 'dismissed');
    await this.#store.removals();
  }

  damaged(): readonly DamagedRecord[] {
    return this.#store.damaged;
  }

  async close(): Promise<void> {
    this.#closing.close();
    await this.#runs.ended();
    this.#waiters.end(undefined, (waiter) => waiter.leave('closed'));
    await this.#store.removals();
    await this.#ports.storage.close?.();
  }

  async #resumeAll(): Promise<ResumeReport> {
    await this.#load();
    const ends = await Promise.all(this.snapshot().map((operation) => this.#resumeInTurn(operation)));
    const settled = ends.filter((kind) => kind === 'settled').length;
    return { settled, pending: ends.length - settled };
  }

  async #resumeInTurn(operation: Operation): Promise<RunEnd['kind']> {
    const { onSettled, clock } = this.#ports;
    if (operation.state === 'expired') return 'expired';
    if (operation.state === 'settled' && !onSettled) {
      // Nobody to tell. A reload later nobody will ask for it either: kept as long as the server keeps it.
      if (clock.now() - operation.createdAt > operation.retentionMs)
        this.#store.remove(operation, 'dismissed');
      return 'settled';
    }
    return (await this.#runs.startInTurn(operation)).kind;
  }

  async #resumeOne(id: string, options: WaitOptions = {}): Promise<unknown> {
    const operation = await this.#find(id);
    if (!operation) return this.#remembered(id);
    return this.#join(operation, { waitMs: operation.retry.waitMs, ...options }, true);
  }

  async #waitFor(id: string, options: WaitOptions = {}): Promise<unknown> {
    const operation = await this.#find(id);
    if (!operation) return this.#remembered(id);
    // A settled or expired one needs nothing to be sent.
    const idle = operation.state !== 'settled' && operation.state !== 'expired';
    return idle ? this.#wait(operation, options) : this.#join(operation, options);
  }

  async #find(id: string): Promise<Operation | undefined> {
    if (!this.#store.get(id)) await this.#load();
    return this.#store.get(id);
  }

  #remembered(id: string): unknown {
    const outcome = this.#runs.remembered(id);
    if (outcome?.ok) return outcome.data;
    throw outcome ? outcome.error : new Error(`no operation ${id} is in the outbox`);
  }

  /** The operation that this call would repeat or contradict. */
  #pending({ key, intent }: Call, owner: string | null): Operation | undefined {
    const byKey = this.#store.get(operationId({ owner, key }));
    return byKey ?? this.#store.of(owner).find((other) => intent !== undefined && other.intent === intent);
  }

  async #join(operation: Operation, call: Partial<Call>, now = false): Promise<unknown> {
    const { key, path, intent, body, state, firstSentAt } = operation;
    const differs =
      (call.path !== undefined && (call.path !== path || !sameBody(call.body!, body))) ||
      (call.keyGiven && call.key !== key) ||
      (call.intent !== undefined && intent !== undefined && call.intent !== intent);
    if (differs) throw new IntentConflictError({ key, path, intent: call.intent });
    call.onKey?.(key);
    if (state === 'expired') throw new OperationExpiredError({ key, path, firstSentAt });
    const outcome = this.#wait(operation, call);
    void this.#runs.start(operation, { waitMs: call.waitMs, now });
    return outcome;
  }

  #wait(operation: Operation, options: WaitOptions, kept?: Promise<unknown>): Promise<unknown> {
    const id = operationId(operation);
    const onLeave = (reason: UnknownReason) => {
      const now = this.#store.get(id) ?? operation;
      const { key, path, attempts } = now;
      const cause = options.signal?.reason ?? lastAttempt(now);
      return new OutcomeUnknownError({ key, path, attempts, reason, cause, ...this.#handle(id) });
    };
    return this.#waiters.wait(id, options, onLeave, kept);
  }

  #handle(id: string): Pick<OutcomeUnknownDetails, 'wait' | 'resume'> {
    return { wait: () => this.#waitFor(id), resume: () => this.#resumeOne(id) };
  }

  #load(): Promise<void> {
    return this.#store.load((id) => this.#runs.has(id));
  }

  #idOf(key: string): string {
    return operationId({ owner: this.#ports.owner(), key });
  }
}
