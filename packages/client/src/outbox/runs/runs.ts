import { Bell } from '../../attempts/bell.js';
import { Closing } from '../../attempts/closing.js';
import { pause, within } from '../../attempts/pause.js';
import type { OutcomeUnknownHandle, UnknownReason } from '../../errors/outcome-unknown-error.js';
import type { Foundation } from '../foundation.js';
import type { Ending, HandOver } from '../hand-over/hand-over.js';
import type { Waiters } from '../hand-over/waiters.js';
import { type Operation, operationId } from '../operation/operation.js';
import { transition } from '../operation/transition.js';
import type { Others } from '../others/others.js';
import type { StoredOperations } from '../store/stored-operations.js';
import type { Lanes } from './lanes.js';
import { limit } from './limit.js';
import { LEAST_RUN_MS, type Run } from './run.js';
import type { RunEnd } from './run-end.js';
import { errorOf } from './run-error.js';
import { runOperation } from './run-operation.js';
import type { StartOptions } from './start-options.js';

/**
 * How many operations a resume asks for at once: what a browser opens to one origin, and gentle on a server that is
 * coming back.
 */
const RESUMED_AT_ONCE = 6;

/** What a run needs to end once it is told to: a write or two. */
const ENDING_MS = 2_000;

/** What ends a wait even where only time asked. Otherwise whoever waits for somebody who finds out still can. */
const TOLD: readonly UnknownReason[] = ['declined', 'closed'];

/** What they need of the outbox. */
export interface RunsNeeds extends Foundation {
  readonly waiters: Waiters;
  readonly store: StoredOperations;
  readonly lanes: Lanes;
  readonly handOver: HandOver;
  readonly others: Others;
  /** What an error of an unknown outcome is left with to ask again. */
  readonly joining: { handle(id: string): OutcomeUnknownHandle };
}

/**
 * Who is being asked for right now: one run for an operation, whoever asks for it and however often.
 *
 * A run is here from its start until its end, and no longer: whatever becomes of it, even what throws, takes it out in the
 * tick in which its callers hear of it. One that stayed would be joined by all who come after it, and ask for nothing any
 * more. For the same reason an operation that is yet to be stored never joins a run: an earlier one of its key makes way
 * first, or its call is refused.
 */
export class Runs {
  readonly #outbox: RunsNeeds;
  readonly #runs = new Map<string, Run>();
  readonly #inTurn = limit(RESUMED_AT_ONCE);

  constructor(outbox: RunsNeeds) {
    this.#outbox = outbox;
  }

  get(id: string): Run | undefined {
    return this.#runs.get(id);
  }

  /** Whether memory is ahead of storage: a run has the operation to itself. */
  isAhead(id: string): boolean {
    return this.#runs.get(id)?.holding.valid === true;
  }

  /** Tries again at once whatever is due by now, though its timer has not fired: a sleeping page's do not. */
  wake(): void {
    const { clock, store } = this.#outbox;
    const now = clock.now();
    for (const [id, { hurry }] of this.#runs) if ((store.get(id)?.nextAttemptAt ?? now) <= now) hurry.ring();
  }

  /** It was removed: its run need not wait on, and whoever waits without one hears that nobody here will tell. */
  removed(operation: Operation, why: 'delivered' | 'dismissed' | 'gone'): void {
    const id = operationId(operation);
    const run = this.#runs.get(id);
    if (run) run.hurry.ring();
    else if (!this.#outbox.waiters.has(id)) return;
    else if (why === 'dismissed') this.#fail(id, { kind: 'gone', operation });
    else void this.#gone(id, operation);
  }

  /** Ends one owner's runs: at once those that wait, after `waitMs` those whose attempt is still without an answer. */
  async stop(owner: string | null, waitMs: number): Promise<void> {
    const { clock, store } = this.#outbox;
    const mine = [...this.#runs].filter(([, run]) => run.operation.owner === owner);
    for (const [id, { closing }] of mine) if (store.get(id)?.state !== 'sending') closing.close();
    const callOff = clock.after(waitMs, () => {
      for (const [, { closing }] of mine) closing.close();
    });
    // One that is held up by the app's own onSettled is left to it.
    const ended = Promise.all(mine.map(([, run]) => run.ended));
    await within(waitMs + ENDING_MS, clock, this.#outbox.lastCall, ended);
    callOff();
  }

  /** When every run of now has ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.ended));
  }

  /** Runs an operation. A run under way is joined, and goes on for as long as this caller waits as well. */
  start(operation: Operation, options: StartOptions = {}): Run {
    const {
      waitMs = operation.retry.waitMs,
      now,
      follows = false,
      unhurried = false,
      inTurn = false,
      byTime = false,
    } = options;
    const id = operationId(operation);
    const { clock, closing, others, store } = this.#outbox;
    const deadline = clock.now() + Math.max(waitMs, LEAST_RUN_MS);
    const running = this.#runs.get(id);
    if (running) {
      running.deadline = Math.max(running.deadline, deadline);
      if (now || (running.follows && !follows)) running.hurry.ring();
      running.follows &&= follows;
      running.byTime &&= byTime;
      return running;
    }
    const own = new Closing();
    const off = closing.on(() => own.close());
    if (closing.closed) own.close();
    const run: Run = {
      ...{ operation, deadline, follows, byTime, unhurried, crowded: inTurn },
      hurry: new Bell(),
      closing: own,
      holding: others.holding(id, own.signal),
      turn: inTurn ? this.#inTurn : (attempt) => attempt(),
      kept: undefined,
      asked: undefined as never,
      ended: undefined as never,
    };
    this.#runs.set(id, run);
    const { insert } = options;
    // In the same tick where nobody else can have it, so that two calls of one tick see each other.
    run.kept = insert && (run.holding.valid ? insert() : run.holding.take().then(insert));
    run.asked = this.#ask(id, run).catch((cause: unknown) => {
      const left = store.get(id) ?? operation;
      return { kind: 'unknown', reason: 'interrupted', operation: left, cause };
    });
    run.ended = this.#run(id, run).finally(() => {
      off();
      run.holding.drop();
    });
    return run;
  }

  /** Ends the run of an operation that was removed under it, whose key is about to be another one's. */
  async makeWay(id: string): Promise<void> {
    const run = this.#runs.get(id);
    run?.closing.close();
    await run?.ended;
  }

  /** Starts the first of a lane's that only waits for its turn. The next one follows when that has an outcome. */
  goOn(line: readonly Operation[]): void {
    const next = line.find(({ parked, state }) => parked === 'lane-waiting' || state === 'persisted');
    if (next) this.start(next, { inTurn: true });
  }

  async #run(id: string, run: Run): Promise<RunEnd> {
    const end = await run.asked;
    try {
      if (end.kind === 'settled') await this.#settled(id, end.operation);
      else if (end.kind === 'gone') await this.#gone(id, end.operation, run);
      else if (run.byTime && end.kind === 'unknown' && !TOLD.includes(end.reason)) this.#runs.delete(id);
      else this.#fail(id, end);
      return end;
    } catch (cause) {
      // Such as what is behind a failure, and could not be parked. The outcome is kept, and told at the next resume.
      const { operation } = end;
      const broken = { kind: 'unknown', reason: 'interrupted', operation, cause } as const;
      this.#fail(id, broken);
      return broken;
    }
  }

  async #ask(id: string, run: Run): Promise<RunEnd> {
    const { operation, holding, closing } = run;
    const { store, lanes } = this.#outbox;
    try {
      await run.kept;
      run.kept = undefined;
    } catch (cause) {
      // Where storage does not tell whether it has it, it is still here.
      const left = store.get(id);
      return left ? this.#interrupted(left, closing, cause) : { kind: 'not-stored', operation, cause };
    }
    try {
      if (operation.lane !== undefined) {
        holding.drop();
        const held = await lanes.wait(operation, closing);
        if (held) return held;
      }
      return await runOperation(store.get(id) ?? operation, run, this.#outbox);
    } catch (cause) {
      return this.#interrupted(store.get(id) ?? operation, closing, cause);
    }
  }

  async #interrupted(left: Operation, closing: Closing, cause: unknown): Promise<RunEnd> {
    const kind = 'unknown';
    if (closing.closed) return { kind, reason: 'closed', operation: left };
    const reason = 'interrupted';
    if (left.state !== 'sending') return { kind, reason, operation: left, cause };
    const operation = transition(left, { to: 'waiting', mayHaveRun: true });
    await this.#outbox.store.save(operation);
    return { kind, reason, operation, cause };
  }

  async #settled(id: string, operation: Operation): Promise<void> {
    const { handOver, lanes, store } = this.#outbox;
    // A failure has stopped its lane before it may be forgotten, and before anybody counts as told: a caller may leave
    // meanwhile. What follows on a success does not wait for onSettled, which may be waiting for it.
    await lanes.halt(operation);
    this.goOn(lanes.behind(operation));
    const told = await handOver.deliver(operation, (how) => this.#end(id, how));
    if (told === undefined) {
      const cause = new Error('the stored answer cannot be decoded by this version of the app');
      this.#fail(id, { kind: 'unknown', reason: 'interrupted', operation, cause });
    }
    // The hold is kept until it is gone from storage too, or the next one who has it would find it there.
    await store.settled(id);
  }

  /** @param run the one that found it gone; without one, somebody only waits for it */
  async #gone(id: string, operation: Operation, run?: Run): Promise<void> {
    const { handOver, others, waiters, store, clock, closing } = this.#outbox;
    if (!handOver.endingOf(operation) && waiters.has(id))
      await pause(others.newsMs, clock, run?.closing ?? closing, ...(run ? [run.hurry] : []));
    // Its key is used again, and those who wait without a run, wait for that one.
    const isUsedAgain = !run && (store.get(id)?.createdAt ?? operation.createdAt) !== operation.createdAt;
    if (this.#runs.get(id) !== run || isUsedAgain) return;
    const ending = handOver.endingOf(operation);
    if (ending) this.#end(id, ending);
    else this.#fail(id, { kind: 'gone', operation });
  }

  #fail(id: string, end: Exclude<RunEnd, { kind: 'settled' }>): void {
    const handle = this.#outbox.joining.handle(id);
    // Of their own as well: apps write on errors. Sentry marks what it has reported, and would pass over the second caller's.
    this.#end(id, (waiter) => waiter.reject(errorOf(end, handle)));
  }

  /** In one tick, so that whoever hears of the end can start it again. */
  #end(id: string, how: Ending): void {
    this.#runs.delete(id);
    this.#outbox.waiters.end(id, how);
  }
}
