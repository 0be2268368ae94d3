import type { Clock } from '../attempts/clock.js';
import { Closing } from '../attempts/closing.js';
import type { WireTransformer } from '../attempts/transformer.js';
import type { Call } from './call.js';
import { Calls } from './calls.js';
import { type DamagedRecord, discard, isAnothers } from './damaged-record.js';
import { Entering } from './entering.js';
import { Listeners, type OutboxEvent } from './events.js';
import { HandOver, type OnSettled } from './hand-over.js';
import { Lanes } from './lanes.js';
import { needsSomebody, type Operation, operationId } from './operation.js';
import type { Outbox, ResumeReport } from './outbox.js';
import type { Wake } from './page-events.js';
import type { Rhythm } from './resume-by-time.js';
import type { RunEnd } from './run-end.js';
import { errorOf } from './run-error.js';
import type { RunPorts } from './run-ports.js';
import { Runs } from './runs.js';
import { type SignOutOptions, type SignOutReport, signOutReport } from './sign-out.js';
import type { OutboxStorage } from './storage.js';
import { StoredOperations } from './stored-operations.js';
import { Waiters, type WaitOptions } from './waiters.js';
import { Watch } from './watch.js';

export interface OutboxPorts extends Omit<RunPorts, 'store' | 'closing'> {
  readonly storage: OutboxStorage;
  readonly transformer: WireTransformer;
  readonly clock: Clock;
  readonly onSettled?: OnSettled | undefined;
  /** Whether onSettled hears before the callers. @default false */
  readonly settledFirst?: boolean;
  /** How it resumes by time, once it leads. @default not at all */
  readonly rhythm?: Rhythm | undefined;
  /** Tells when the page is shown or online again. */
  readonly onWake?: ((listener: (why: Wake) => void) => () => void) | undefined;
}

/** How long `close()` leaves to an onSettled that is under way. */
const LAST_CALL_MS = 5_000;

/** How long a sign-out leaves to attempts under way. */
const SIGN_OUT_MS = 3_000;

/** The outbox over a storage. */
export class DurableOutbox implements Outbox {
  readonly #ports: OutboxPorts;
  readonly #listeners = new Listeners();
  readonly #closing = new Closing();
  readonly #lastCall = new Closing();
  readonly #store: StoredOperations;
  readonly #waiters: Waiters;
  readonly #lanes: Lanes;
  readonly #runs: Runs;
  readonly #calls: Calls;
  readonly #watch: Watch;
  /** Whoever is signing out; nothing more is sent for them. */
  #leaving: { readonly owner: string | null } | undefined;

  constructor(ports: OutboxPorts) {
    this.#ports = ports;
    const { clock, coordination, transformer, storage, onSettled } = ports;
    const listeners = this.#listeners;
    const closing = this.#closing;
    const delivered = (operation: Operation) => void handOver.remember(operation, operation.deliveredAt);
    const store = new StoredOperations({ storage, listeners, coordination, clock, delivered });
    const waiters = new Waiters(clock);
    const lanes = new Lanes(store, coordination, transformer);
    const settledFirst = ports.settledFirst === true && onSettled !== undefined;
    const lastCall = this.#lastCall;
    const owner = () => ports.owner();
    const handing = { store, waiters, listeners, transformer, clock, onSettled, settledFirst, lastCall };
    const handOver = new HandOver({ ...handing, owner });
    this.#store = store;
    this.#waiters = waiters;
    this.#lanes = lanes;
    this.#runs = new Runs({
      ...ports,
      owner: () => this.#sender(),
      store,
      waiters,
      handOver,
      lanes,
      closing,
      errorOf: (end) => errorOf(end, this.#calls.handle(operationId(end.operation))),
    });
    this.#calls = new Calls({
      clock,
      closing,
      store,
      waiters,
      handOver,
      lanes,
      entering: new Entering(coordination, clock, closing),
      runs: this.#runs,
      owner,
      load: () => this.#load(),
    });
    this.#watch = new Watch({
      coordination,
      closing,
      store,
      waiters,
      handOver,
      lanes,
      listeners,
      runs: this.#runs,
      rhythm: ports.rhythm,
      random: ports.random,
      knows: (path) => ports.knows(path),
      owner: () => this.#sender(),
      load: () => this.#load(),
      resume: (unasked) => this.#resumeAll(unasked),
      tells: onSettled !== undefined,
      onWake: ports.onWake,
    });
  }

  /** Whose operations may be sent: nobody's (and no `null`'s) while they are signing out. */
  #sender(): string | null {
    const owner = this.#ports.owner();
    return this.#leaving?.owner === owner ? (undefined as never) : owner;
  }

  /**
   * Resumes by itself from now on: at once, when the device is online again, when the page is shown, what another tab or
   * process leaves behind, and by time.
   */
  start(): void {
    this.#watch.lead();
  }

  submit(call: Call): Promise<unknown> {
    return this.#calls.submit(call);
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
    return key === undefined ? this.#resumeAll() : this.#calls.resumeOne(this.#idOf(key), options);
  }

  wait(key: string, options?: WaitOptions): Promise<unknown> {
    return this.#calls.waitFor(this.#idOf(key), options);
  }

  async dismiss(key: string): Promise<void> {
    await this.#load();
    const id = this.#idOf(key);
    const operation = this.#store.get(id);
    if (!operation) return;
    if (this.#runs.has(id) || !['parked', 'expired', 'settled'].includes(operation.state))
      throw new Error(`operation ${key} is pending: only a parked, expired or settled one can be dismissed`);
    await this.#store.remove(operation, 'dismissed');
    for (const next of this.#lanes.behind(operation))
      if (next.parked === 'lane-waiting') void this.#runs.start(next, { inTurn: true });
  }

  async signOut({ pending, waitMs = SIGN_OUT_MS }: SignOutOptions): Promise<SignOutReport> {
    const owner = this.#ports.owner();
    const leaving = { owner };
    this.#leaving = leaving;
    try {
      await this.#load();
      await this.#runs.stop(owner, waitMs);
      await this.#load();
      const operations = this.#store.of(owner);
      if (pending === 'purge') {
        const failures = await Promise.all(operations.map((one) => this.#store.remove(one, 'dismissed')));
        const failure = failures.find((one) => one !== undefined);
        if (failure) throw failure;
      }
      return signOutReport(owner, operations, pending);
    } finally {
      if (this.#leaving === leaving) this.#leaving = undefined;
      this.#watch.forget();
    }
  }

  discard(id: string): Promise<void> {
    return discard(
      id,
      () => this.damaged(),
      () => this.#load(),
      this.#ports.storage,
    );
  }

  damaged(): readonly DamagedRecord[] {
    const owner = this.#ports.owner();
    return this.#store.damaged.filter(({ id }) => !isAnothers(id, owner));
  }

  async close(): Promise<void> {
    this.#closing.close();
    const callOff = this.#ports.clock.after(LAST_CALL_MS, () => this.#lastCall.close());
    await this.#runs.ended();
    callOff();
    this.#waiters.end(undefined, (waiter) => waiter.leave('closed'));
    await this.#store.removals.ended();
    await this.#watch.ended();
    await this.#ports.storage.close?.();
  }

  /** @param unasked by itself, so that nobody is troubled again with what only somebody can change */
  async #resumeAll(unasked = false): Promise<ResumeReport> {
    await this.#load();
    const mayAsk = (one: Operation) => !unasked || !(needsSomebody(one.parked) || this.#lanes.before(one));
    const all = this.snapshot().filter(mayAsk);
    const ends = await Promise.all(all.map((operation) => this.#resumeInTurn(operation)));
    const settled = ends.filter((kind) => kind === 'settled' || kind === 'gone').length;
    return { settled, pending: ends.length - settled };
  }

  async #resumeInTurn(operation: Operation): Promise<RunEnd['kind']> {
    const { onSettled, clock } = this.#ports;
    if (operation.state === 'expired') return 'expired';
    if (operation.parked === 'lane-halted') return 'parked';
    if (operation.state === 'settled' && !onSettled) {
      // Nobody to tell. A reload later nobody will ask for it either: kept as long as the server keeps it.
      if (clock.now() - operation.createdAt > operation.retentionMs)
        void this.#store.remove(operation, 'dismissed');
      return 'settled';
    }
    return (await this.#runs.start(operation, { inTurn: true })).kind;
  }

  #load(): Promise<void> {
    return this.#store.load((id) => this.#runs.isAhead(id));
  }

  #idOf(key: string): string {
    return operationId({ owner: this.#ports.owner(), key });
  }
}
