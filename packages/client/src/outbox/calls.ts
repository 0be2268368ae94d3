import type { Clock } from '../attempts/clock.js';
import type { Closing } from '../attempts/closing.js';
import { IntentConflictError } from '../errors/intent-conflict-error.js';
import { NotSentError, type NotSentReason } from '../errors/not-sent-error.js';
import { OperationExpiredError } from '../errors/operation-expired-error.js';
import {
  type OutcomeUnknownDetails,
  OutcomeUnknownError,
  type UnknownReason,
} from '../errors/outcome-unknown-error.js';
import type { Call } from './call.js';
import type { Entering, Entry } from './entering.js';
import type { HandOver } from './hand-over.js';
import { type Lanes, laneName } from './lanes.js';
import { newOperation, type Operation, operationId, wasDeclined } from './operation.js';
import { lastAttempt } from './outcome.js';
import type { Runs } from './runs.js';
import { sameBody } from './same-body.js';
import type { StoredOperations } from './stored-operations.js';
import { transition } from './transition.js';
import type { Waiters, WaitOptions } from './waiters.js';

interface Begun {
  readonly outcome: Promise<unknown>;
  /** When the operation is in storage, or will not be. */
  readonly stored: Promise<void>;
}

export interface CallsPorts {
  readonly clock: Clock;
  readonly closing: Closing;
  readonly store: StoredOperations;
  readonly waiters: Waiters;
  readonly handOver: HandOver;
  readonly lanes: Lanes;
  readonly entering: Entering;
  readonly runs: Runs;
  owner(): string | null;
  load(): Promise<void>;
}

/** Those who call, join, wait and ask again: each finds its operation, and hears of its outcome. */
export class Calls {
  readonly #ports: CallsPorts;
  /** Operations that are not in storage yet: nobody may be told before that they are kept. */
  readonly #storing = new Map<string, Promise<void>>();

  constructor(ports: CallsPorts) {
    this.#ports = ports;
  }

  /**
   * Makes the call an operation, or joins the pending one that it is, and waits for the outcome.
   * @throws the settled error, or one of this package's
   */
  async submit(call: Call): Promise<unknown> {
    let owner: string | null = null;
    try {
      owner = this.#ports.owner();
    } catch (cause) {
      refuse(call, 'options', 'owner() did not say who is signed in', cause);
    }
    const { intent, lane, key } = call;
    const names: string[] = [];
    if (call.keyGiven) names.push(`key ${operationId({ owner, key })}`);
    if (intent !== undefined) names.push(`intent ${JSON.stringify([owner, intent])}`);
    if (lane !== undefined) names.push(laneName(owner, lane));
    const { outcome } = names.length === 0 ? this.#begin(call, owner) : await this.#enter(call, owner, names);
    return outcome;
  }

  /** Enters a call that others may be: joins what it finds. The outcome is wrapped, or it would be waited for in here. */
  async #enter(call: Call, owner: string | null, names: readonly string[]): Promise<Pick<Begun, 'outcome'>> {
    const since = this.#ports.clock.now();
    const leave = await this.#ports.entering.pass(names);
    let entry: Entry | undefined;
    let begun: Begun | undefined;
    try {
      const here = this.#pending(call, owner);
      if (here && this.#ports.runs.has(operationId(here))) return { outcome: this.#join(here, call) };
      entry = await this.#ports.entering.hold(names, call.signal).catch((cause) => {
        if (call.signal?.aborted)
          return refuse(call, 'aborted', 'the signal was aborted before anything was sent');
        if (this.#ports.closing.closed) return refuse(call, 'closed', 'the outbox was closed');
        return refuse(call, 'storage', 'the outbox could not be entered', cause);
      });
      await this.#ports
        .load()
        .catch((cause) => refuse(call, 'storage', 'the outbox could not be read', cause));
      const pending = this.#pending(call, owner);
      if (pending && !(await this.#dropDeclined(pending))) return { outcome: this.#join(pending, call) };
      const done = this.#handedOver(since, call, owner);
      if (done) return { outcome: done };
      if (this.#ports.store.damaged.some(({ id }) => id === operationId({ owner, key: call.key })))
        refuse(call, 'storage', 'a record of this key is kept that cannot be read: see outbox.damaged()');
      begun = this.#begin(call, owner, leave, entry);
      return begun;
    } finally {
      if (begun) begun.stored.catch(() => {}).finally(entry?.release);
      else {
        leave();
        entry?.release();
      }
    }
  }

  /** An operation of the same meaning that was pending when this call was made, and ended before it could enter. */
  #handedOver(since: number, call: Call, owner: string | null): Promise<unknown> | undefined {
    const { handOver } = this.#ports;
    if (call.intent === undefined || call.keyGiven) return undefined;
    const done = handOver.rememberedSince(since, { owner, intent: call.intent });
    if (!done || done.path !== call.path || !sameBody(call.body, done.body)) return undefined;
    call.onKey?.(done.key);
    return (async () => this.#remembered(operationId(done)))();
  }

  /** Nothing of it ran, and nobody was told: the user may try again, and need not hear of the last time first. */
  async #dropDeclined(operation: Operation): Promise<boolean> {
    if (!wasDeclined(operation) || this.#ports.runs.has(operationId(operation))) return false;
    // Those behind it have to hear of it.
    if (this.#ports.lanes.behind(operation).length > 0) return false;
    await this.#ports.store.remove(operation, 'dismissed');
    return true;
  }

  /** Makes the call an operation of its own. */
  #begin(call: Call, owner: string | null, noted?: () => void, entry?: Entry): Begun {
    if (this.#ports.closing.closed) refuse(call, 'closed', 'the outbox was closed');
    if (call.signal?.aborted) refuse(call, 'aborted', 'the signal was aborted before anything was sent');
    const { key, path, body, intent, lane, onFailure, retry, retentionMs } = call;
    const place = lane === undefined ? undefined : this.#ports.lanes.nextPlace(owner, lane);
    const facts = {
      ...{ key, owner, path, body, retry, retentionMs },
      ...(intent !== undefined && { intent }),
      ...(place !== undefined && { lane: lane as string, place, onFailure: onFailure ?? 'halt' }),
    };
    const operation = newOperation(facts, this.#ports.clock.now());
    call.onKey?.(key);
    const id = operationId(operation);
    let isStored = () => {};
    let isRefused: (why?: unknown) => void = () => {};
    const stored = new Promise<void>((resolve, reject) => {
      isStored = resolve;
      isRefused = reject;
    });
    this.#storing.set(id, stored);
    stored.catch(() => {}).finally(() => this.#storing.delete(id));
    const first = () => {
      if (entry?.lost()) throw new Error('the page slept before it could be kept; call again');
      const storing = this.#ports.store.insert(operation);
      storing.then(isStored, isRefused);
      // Known from here on: whoever means the same finds it.
      noted?.();
      return storing;
    };
    const outcome = this.#wait(operation, call);
    const run = this.#ports.runs.start(operation, { waitMs: call.waitMs, first });
    run.finally(() => {
      noted?.();
      isRefused();
    });
    return { outcome, stored };
  }

  async resumeOne(id: string, options: WaitOptions = {}): Promise<unknown> {
    const operation = await this.#find(id);
    if (!operation) return this.#remembered(id);
    const goOn = operation.parked === 'lane-halted' ? this.#ports.lanes.of(operation) : [];
    for (const one of goOn)
      if (one.parked === 'lane-halted') await this.#ports.store.save(transition(one, { to: 'persisted' }));
    const outcome = this.#join(
      this.#ports.store.get(id) ?? operation,
      { waitMs: operation.retry.waitMs, ...options },
      true,
    );
    for (const { key } of goOn) {
      const next = this.#ports.store.get(operationId({ owner: operation.owner, key }));
      if (next?.state === 'persisted') void this.#ports.runs.start(next, { inTurn: true });
    }
    return outcome;
  }

  async waitFor(id: string, options: WaitOptions = {}): Promise<unknown> {
    const operation = await this.#find(id);
    if (!operation) return this.#remembered(id);
    // A settled or expired one needs nothing to be sent.
    const idle = operation.state !== 'settled' && operation.state !== 'expired';
    return idle ? this.#wait(operation, options) : this.#join(operation, options);
  }

  async #find(id: string): Promise<Operation | undefined> {
    // About to be there: the outcome that an earlier one of its key had is not its own.
    await this.#storing.get(id)?.catch(() => {});
    if (!this.#ports.store.get(id)) await this.#ports.load();
    return this.#ports.store.get(id);
  }

  #remembered(id: string): unknown {
    const outcome = this.#ports.handOver.remembered(id);
    if (outcome?.ok) return outcome.data;
    throw outcome ? outcome.error : new Error(`no operation ${id} is in the outbox`);
  }

  /** The operation that this call would repeat or contradict. */
  #pending({ key, intent }: Call, owner: string | null): Operation | undefined {
    const byKey = this.#ports.store.get(operationId({ owner, key }));
    return (
      byKey ?? this.#ports.store.of(owner).find((other) => intent !== undefined && other.intent === intent)
    );
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
    void this.#ports.runs.start(operation, { waitMs: call.waitMs, now, unhurried: !now });
    return outcome;
  }

  #wait(operation: Operation, options: WaitOptions): Promise<unknown> {
    const id = operationId(operation);
    const onLeave = (reason: UnknownReason) => {
      const now = this.#ports.store.get(id) ?? operation;
      const { key, path, attempts } = now;
      const cause = options.signal?.reason ?? lastAttempt(now);
      return new OutcomeUnknownError({ key, path, attempts, reason, cause, ...this.handle(id) });
    };
    return this.#ports.waiters.wait(id, options, onLeave, this.#storing.get(id));
  }

  handle(id: string): Pick<OutcomeUnknownDetails, 'wait' | 'resume'> {
    return { wait: () => this.waitFor(id), resume: () => this.resumeOne(id) };
  }
}

function refuse(call: Call, reason: NotSentReason, message: string, cause?: unknown): never {
  throw new NotSentError({ key: call.key, path: call.path, reason, message, cause });
}
