import { defaultRetryPolicy } from '@trpc-once/contract';
import { Bell } from '../attempts/bell.js';
import { Closing } from '../attempts/closing.js';
import { pause } from '../attempts/pause.js';
import type { UnknownReason } from '../errors/outcome-unknown-error.js';
import { type Ending, endingOf, type HandOver } from './hand-over.js';
import { Holding } from './holding.js';
import type { Lanes } from './lanes.js';
import { limit } from './limit.js';
import { type Operation, operationId } from './operation.js';
import type { RunEnd } from './run-end.js';
import { runOperation } from './run-operation.js';
import type { RunPorts } from './run-ports.js';
import type { StartOptions } from './start-options.js';
import { transition } from './transition.js';
import type { Waiters } from './waiters.js';

export interface RunsPorts extends RunPorts {
  readonly waiters: Waiters;
  readonly handOver: HandOver;
  readonly lanes: Lanes;
  /** The error of a run that brought no outcome. */
  errorOf(end: Exclude<RunEnd, { kind: 'settled' }>): Error;
}

interface Run {
  readonly operation: Operation;
  deadline: number;
  follows: boolean;
  byTime: boolean;
  readonly hurry: Bell;
  readonly closing: Closing;
  readonly holding: Holding;
  ended: Promise<RunEnd>;
}

/**
 * The least time a run goes on. It does not end with its callers' patience: an app that waits for 5 s only to say "we
 * will tell you" means it.
 */
const LEAST_RUN_MS = defaultRetryPolicy.waitMs;

/**
 * How many operations a resume asks for at once: what a browser opens to one origin, and gentle on a server that is
 * coming back.
 */
const RESUMED_AT_ONCE = 6;

/** How much later than the end of an operation its news may come: both are a matter of milliseconds. */
const NEWS_MS = 2_000;

/** What ends a wait even where only time asked. Otherwise whoever waits for somebody who finds out still can. */
const TOLD: readonly UnknownReason[] = ['declined', 'closed'];

/** Who is being asked for right now: one run for an operation, whoever asks for it and however often. */
export class Runs {
  readonly #ports: RunsPorts;
  readonly #runs = new Map<string, Run>();
  readonly #inTurn = limit(RESUMED_AT_ONCE);

  constructor(ports: RunsPorts) {
    this.#ports = ports;
  }

  has(id: string): boolean {
    return this.#runs.has(id);
  }

  /** The operation of a run, as it was when that began. */
  of(id: string): Operation | undefined {
    return this.#runs.get(id)?.operation;
  }

  /** Whether memory is ahead of storage: a run has the operation to itself. */
  isAhead(id: string): boolean {
    const run = this.#runs.get(id);
    return run !== undefined && (run.holding.valid || !this.#ports.coordination.shared);
  }

  /** Tries again at once whatever is due by now, though its timer has not fired: a sleeping page's do not. */
  wake(): void {
    const now = this.#ports.clock.now();
    for (const [id, { hurry }] of this.#runs)
      if ((this.#ports.store.get(id)?.nextAttemptAt ?? now) <= now) hurry.ring();
  }

  /** Somebody else has removed it: whatever waits here need not wait on. */
  hurry(id: string): void {
    this.#runs.get(id)?.hurry.ring();
  }

  /** Ends one owner's runs: at once those that wait, after `waitMs` those whose attempt is still without an answer. */
  async stop(owner: string | null, waitMs: number): Promise<void> {
    const mine = [...this.#runs].filter(([, run]) => run.operation.owner === owner);
    const close = (sending: boolean) => {
      for (const [id, { closing }] of mine)
        if (sending || this.#ports.store.get(id)?.state !== 'sending') closing.close();
    };
    close(false);
    const callOff = this.#ports.clock.after(waitMs, () => close(true));
    await Promise.all(mine.map(([, run]) => run.ended));
    callOff();
  }

  /** When every run of now has ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.ended));
  }

  /** Runs an operation. A run under way is joined, and goes on for as long as this caller waits as well. */
  start(operation: Operation, options: StartOptions = {}): Promise<RunEnd> {
    const { waitMs = operation.retry.waitMs, now, follows = false, byTime = false } = options;
    const id = operationId(operation);
    const { clock, closing, coordination } = this.#ports;
    const deadline = clock.now() + Math.max(waitMs, LEAST_RUN_MS);
    const running = this.#runs.get(id);
    if (running) {
      running.deadline = Math.max(running.deadline, deadline);
      if (now || (running.follows && !follows) || (running.byTime && !byTime)) running.hurry.ring();
      running.follows &&= follows;
      running.byTime &&= byTime;
      return running.ended;
    }
    const leaving = new AbortController();
    const own = new Closing();
    own.on(() => leaving.abort(new Error('the outbox was closed')));
    const offClosing = closing.on(() => own.close());
    const run: Run = {
      operation,
      deadline,
      follows,
      byTime,
      hurry: new Bell(),
      closing: own,
      holding: new Holding(coordination, id, leaving.signal),
      ended: new Promise(() => {}),
    };
    this.#runs.set(id, run);
    if (closing.closed) own.close();
    run.ended = this.#run(id, operation, run, options).finally(() => {
      offClosing();
      run.holding.drop();
    });
    return run.ended;
  }

  async #run(id: string, operation: Operation, run: Run, options: StartOptions): Promise<RunEnd> {
    const { first } = options;
    let end: RunEnd;
    try {
      if (first && this.#ports.coordination.shared) await run.holding.take();
      await first?.();
      end = await this.#ask(id, operation, run, options);
    } catch (cause) {
      end =
        first && !this.#ports.store.get(id)
          ? { kind: 'not-stored', operation, cause }
          : await this.#interrupted(id, operation, run, cause);
    }
    if (end.kind === 'settled') await this.#settled(id, end.operation);
    else if (end.kind === 'gone') await this.#gone(id, end, run);
    else if (run.byTime && end.kind === 'unknown' && !TOLD.includes(end.reason)) this.#runs.delete(id);
    else {
      const error = this.#ports.errorOf(end);
      this.#end(id, (waiter) => waiter.reject(error));
    }
    return end;
  }

  async #ask(
    id: string,
    operation: Operation,
    run: Run,
    { inTurn, unhurried = false }: StartOptions,
  ): Promise<RunEnd> {
    const { store, clock } = this.#ports;
    if (operation.lane !== undefined) {
      run.holding.drop();
      const held = await this.#ports.lanes.wait(operation, run.closing, (before) =>
        this.start(before, { inTurn: true }),
      );
      if (held) return held;
    }
    const now = store.get(id) ?? operation;
    if (now.state === 'settled' && !this.#ports.coordination.shared)
      return { kind: 'settled', operation: now };
    return runOperation(
      now,
      {
        deadline: () => (run.follows ? Number.POSITIVE_INFINITY : run.deadline),
        hurry: run.hurry,
        closing: run.closing,
        holding: run.holding,
        unhurried,
        follows: () => run.follows,
        byTime: () => run.byTime,
        stepIn: () => {
          if (run.follows) run.deadline = clock.now() + LEAST_RUN_MS;
          run.follows = false;
        },
        crowded: inTurn === true,
        turn: inTurn ? this.#inTurn : (go) => go(),
      },
      this.#ports,
    );
  }

  async #interrupted(id: string, start: Operation, run: Run, cause: unknown): Promise<RunEnd> {
    const left = this.#ports.store.get(id) ?? start;
    const kind = 'unknown';
    if (run.closing.closed) return { kind, reason: 'closed', operation: left };
    if (left.state !== 'sending') return { kind, reason: 'interrupted', operation: left, cause };
    const operation = transition(left, { to: 'waiting', mayHaveRun: true });
    await this.#ports.store.save(operation);
    return { kind, reason: 'interrupted', operation, cause };
  }

  async #settled(id: string, operation: Operation): Promise<void> {
    const { handOver, lanes, store } = this.#ports;
    const end = (how: Ending) => this.#end(id, how);
    const told = await handOver.deliver(operation, end, () => lanes.halt(operation));
    if (told === undefined) {
      const cause = new Error('the stored answer cannot be decoded by this version of the app');
      const error = this.#ports.errorOf({ kind: 'unknown', reason: 'interrupted', operation, cause });
      end((waiter) => waiter.reject(error));
    }
    // The hold is kept until it is gone from storage too, or the next one who has it would find it there.
    await store.removals.ended(id);
    for (const next of lanes.behind(operation))
      if (next.parked === 'lane-waiting' || next.state === 'persisted')
        void this.start(next, { inTurn: true });
  }

  async #gone(id: string, { operation }: RunEnd, run: Run): Promise<void> {
    const { handOver, coordination, waiters, clock } = this.#ports;
    if (!handOver.outcomeOf(operation) && coordination.carries && waiters.has(id))
      await pause(NEWS_MS, clock, run.closing, run.hurry);
    const outcome = handOver.outcomeOf(operation);
    const error = this.#ports.errorOf({ kind: 'gone', operation });
    this.#end(id, outcome ? endingOf(outcome) : (waiter) => waiter.reject(error));
  }

  /** In one tick, so that whoever hears of the end can start it again. */
  #end(id: string, how: Ending): void {
    this.#runs.delete(id);
    this.#ports.waiters.end(id, how);
  }
}
