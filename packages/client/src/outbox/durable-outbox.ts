import { Closing } from '../attempts/closing.js';
import { within } from '../attempts/pause.js';
import type { Call } from './calls/call.js';
import { Calls } from './calls/calls.js';
import { Joining } from './calls/joining.js';
import type { HearingNeeds } from './coordination/hearing.js';
import type { Foundation } from './foundation.js';
import { HandOver } from './hand-over/hand-over.js';
import { Waiters, type WaitOptions } from './hand-over/waiters.js';
import { Listeners, type OutboxEvent } from './operation/events.js';
import { needsSomebody, type Operation, operationId } from './operation/operation.js';
import { joinOthers } from './others/coordinator.js';
import type { Others } from './others/others.js';
import type { Outbox, ResumeReport } from './outbox.js';
import type { OutboxPorts } from './ports.js';
import { Lanes } from './runs/lanes.js';
import type { RunEnd } from './runs/run-end.js';
import { Runs } from './runs/runs.js';
import { type SignOutOptions, type SignOutReport, signOutReport } from './sign-out.js';
import { type DamagedRecord, discard, isAnothers, ownerIn } from './store/damaged-record.js';
import { StoredOperations } from './store/stored-operations.js';
import { Watch } from './waking/watch.js';

/** What an outbox consists of: all that any of them needs, those included that a shared storage brings along. */
interface Parts extends Foundation, HearingNeeds {
  readonly waiters: Waiters;
  readonly store: StoredOperations;
  readonly lanes: Lanes;
  readonly handOver: HandOver;
  readonly runs: Runs;
  readonly joining: Joining;
  readonly calls: Calls;
  readonly others: Others;
  readonly watch: Watch;
  resumeAll(unasked: boolean): Promise<unknown>;
}

/** How long `close()` leaves to an onSettled that is under way. */
const LAST_CALL_MS = 5_000;

/** How long each part may take to end after that, over a storage that hangs. */
const CLOSE_MS = 10_000;

/** How long a sign-out leaves to attempts under way. */
const SIGN_OUT_MS = 3_000;

/** The outbox over a storage. */
export class DurableOutbox implements Outbox {
  readonly #parts: Parts;
  /** Whoever is signing out; nothing more is sent for them. */
  #leaving: { readonly owner: string | null; readonly pending: 'keep' | 'purge' } | undefined;

  constructor(ports: OutboxPorts) {
    const parts = {
      ...ports,
      owner: () => {
        let owner: string | null | undefined;
        try {
          owner = ports.owner();
          return owner;
        } finally {
          parts.watch.follow(owner);
        }
      },
      closing: new Closing(),
      lastCall: new Closing(),
      listeners: new Listeners(),
      waiters: new Waiters(ports.clock),
      sender: () => this.#sender(),
      purges: (owner: string | null) => this.#leaving?.pending === 'purge' && this.#leaving.owner === owner,
      resumeAll: (unasked: boolean) => this.#resumeAll(unasked),
    } as { -readonly [part in keyof Parts]: Parts[part] };
    parts.store = new StoredOperations(parts);
    parts.lanes = new Lanes(parts);
    parts.handOver = new HandOver(parts);
    parts.runs = new Runs(parts);
    parts.joining = new Joining(parts);
    parts.calls = new Calls(parts);
    parts.others = joinOthers(ports.storage.coordination, parts);
    parts.watch = new Watch(parts);
    parts.listeners.add(({ type, operation }) => {
      if (type !== 'dismissed' && type !== 'delivered' && type !== 'gone') return;
      parts.lanes.left(operation);
      parts.runs.removed(operation, type);
    });
    this.#parts = parts;
  }

  #sender(): string | null | undefined {
    const owner = this.#parts.owner();
    return this.#leaving?.owner === owner ? undefined : owner;
  }

  /**
   * Resumes by itself from now on: at once, when the device is online again, when the page is shown, what another tab or
   * process leaves behind, and by time.
   */
  start(): void {
    this.#parts.watch.lead();
  }

  submit(call: Call): Promise<unknown> {
    return this.#parts.calls.submit(call);
  }

  async list(): Promise<readonly Operation[]> {
    await this.#parts.store.load();
    return this.snapshot();
  }

  snapshot(): readonly Operation[] {
    return this.#parts.store.of(this.#parts.owner());
  }

  subscribe(listener: (event: OutboxEvent) => void): () => void {
    const { listeners, owner } = this.#parts;
    return listeners.add((event) => {
      if (event.operation.owner === owner()) listener(event);
    });
  }

  resume(): Promise<ResumeReport>;
  resume(key: string, options?: WaitOptions): Promise<unknown>;
  resume(key?: string, options?: WaitOptions): Promise<unknown> {
    return key === undefined ? this.#resumeAll() : this.#parts.joining.resumeOne(this.#idOf(key), options);
  }

  wait(key: string, options?: WaitOptions): Promise<unknown> {
    return this.#parts.joining.waitFor(this.#idOf(key), options);
  }

  async dismiss(key: string): Promise<void> {
    const { store, runs, lanes } = this.#parts;
    await store.load();
    const id = this.#idOf(key);
    const operation = store.get(id);
    if (!operation) return;
    if (runs.get(id) || !['waiting', 'parked', 'expired', 'settled'].includes(operation.state))
      throw new Error(`operation ${key} is being asked for: dismiss it when that is given up, or over`);
    // Nobody knows of an expired one that it succeeded: what depends on it waits for a person.
    if (operation.state === 'expired' || operation.state === 'settled') await lanes.halt(operation);
    await store.remove(operation, 'dismissed');
    runs.goOn(lanes.behind(operation));
  }

  async signOut({ pending, waitMs = SIGN_OUT_MS }: SignOutOptions): Promise<SignOutReport> {
    const { store, runs, watch, owner, storage } = this.#parts;
    const leaving = { owner: owner(), pending };
    this.#leaving = leaving;
    try {
      await store.load();
      await runs.stop(leaving.owner, waitMs);
      await store.load();
      const operations = store.of(leaving.owner);
      if (pending === 'purge') {
        const failures = await Promise.all(operations.map((one) => store.remove(one, 'dismissed')));
        const failure = failures.find((one) => one !== undefined);
        if (failure) throw failure;
        // And what is none: damaged records, and outcomes that stay a while for other processes.
        for (const { id } of await storage.entries())
          if (ownerIn(id) === leaving.owner) await storage.delete(id);
      }
      return signOutReport(leaving.owner, operations, pending);
    } finally {
      if (this.#leaving === leaving) this.#leaving = undefined;
      watch.forget(leaving.owner);
    }
  }

  discard(id: string): Promise<void> {
    return discard(id, () => this.damaged(), this.#parts);
  }

  damaged(): readonly DamagedRecord[] {
    const owner = this.#parts.owner();
    return this.#parts.store.damaged.filter(({ id }) => !isAnothers(id, owner));
  }

  async close(): Promise<void> {
    const { closing, lastCall, clock, runs, waiters, store, watch, storage } = this.#parts;
    closing.close();
    const callOff = clock.after(LAST_CALL_MS, () => lastCall.close());
    const inTime = (ending: Promise<unknown>) => within(CLOSE_MS, clock, new Closing(), ending);
    await inTime(runs.ended());
    callOff();
    waiters.end(undefined, (waiter) => waiter.leave('closed'));
    await inTime(store.allSettled());
    await inTime(watch.ended());
    await storage.close?.();
  }

  /** @param unasked by itself, so that nobody is troubled again with what only somebody can change */
  async #resumeAll(unasked = false): Promise<ResumeReport> {
    const { store, lanes, session } = this.#parts;
    await store.load();
    const mayAsk = (one: Operation) => !unasked || !(needsSomebody(one.parked) || lanes.before(one));
    const all = this.snapshot().filter(mayAsk);
    const resuming = all.map((operation) => this.#resumeInTurn(operation));
    // Asked from within onUnauthorized, perhaps: they would wait for it, and it for them.
    if (session.renewing) return { settled: 0, pending: all.length };
    const ends = await Promise.all(resuming);
    const settled = ends.filter((kind) => kind === 'settled' || kind === 'gone').length;
    return { settled, pending: ends.length - settled };
  }

  async #resumeInTurn(operation: Operation): Promise<RunEnd['kind']> {
    const { onSettled, clock, store, runs } = this.#parts;
    if (operation.state === 'expired') return 'expired';
    if (operation.parked === 'lane-halted') return 'parked';
    // Asked from within onSettled, perhaps.
    if (this.#parts.handOver.isTelling(operation)) return 'settled';
    if (operation.state === 'settled' && !onSettled) {
      // Nobody to tell, and without an intent nobody can ask for it a reload later: kept as long as the server keeps it.
      if (operation.intent === undefined && clock.now() - operation.createdAt > operation.retentionMs)
        void store.remove(operation, 'dismissed');
      return 'settled';
    }
    return (await runs.start(operation, { inTurn: true }).ended).kind;
  }

  #idOf(key: string): string {
    return operationId({ owner: this.#parts.owner(), key });
  }
}
