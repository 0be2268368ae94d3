import { defaultRetryPolicy } from '@trpc-once/contract';
import { Bell } from '../attempts/bell.js';
import type { WireTransformer } from '../attempts/transformer.js';
import type { Listeners } from './events.js';
import { limit } from './limit.js';
import { type Operation, operationId } from './operation.js';
import { type Outcome, outcomeOf } from './outcome.js';
import { type RunEnd, type RunPace, type RunPorts, runOperation } from './run-operation.js';
import { transition } from './transition.js';
import type { Waiters } from './waiters.js';

/**
 * Hears of an outcome that nobody waits for: found after a reload, or after its caller had stopped waiting. The operation
 * is kept until this returns (or the promise it returns is fulfilled), so it may hear of one twice, never not at all.
 */
export type OnSettled = (operation: Operation, outcome: Outcome) => void | Promise<void>;

export interface RunsPorts extends RunPorts {
  readonly waiters: Waiters;
  readonly listeners: Listeners;
  readonly transformer: WireTransformer;
  readonly onSettled: OnSettled | undefined;
  /** The error of a run that brought no outcome. */
  errorOf(end: Exclude<RunEnd, { kind: 'settled' }>): Error;
}

interface Run {
  deadline: number;
  readonly hurry: Bell;
  ended: Promise<RunEnd>;
}

export interface StartOptions {
  /** How long whoever starts or joins the run waits for it. @default the operation's own policy */
  readonly waitMs?: number | undefined;
  /** Goes before everything else. */
  readonly first?: () => Promise<void>;
  /** Whether to try at once instead of waiting for a backoff. */
  readonly now?: boolean;
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

/** How many outcomes a late `wait()` still finds after they were handed over. */
const REMEMBERED = 100;

/** Who is being asked for right now: one run for an operation, whoever asks for it and however often. */
export class Runs {
  readonly #ports: RunsPorts;
  readonly #runs = new Map<string, Run>();
  readonly #remembered = new Map<string, Outcome>();
  readonly #inTurn = limit(RESUMED_AT_ONCE);

  constructor(ports: RunsPorts) {
    this.#ports = ports;
  }

  has(id: string): boolean {
    return this.#runs.has(id);
  }

  /** The outcome of an operation handed over lately. */
  remembered(id: string): Outcome | undefined {
    return this.#remembered.get(id);
  }

  /** Runs an operation at once. A run under way is joined, and goes on for as long as this caller waits as well. */
  start(operation: Operation, options: StartOptions = {}): Promise<RunEnd> {
    return this.#start(operation, (go) => go(), options);
  }

  /** Runs an operation when its turn comes. */
  startInTurn(operation: Operation): Promise<RunEnd> {
    return this.#start(operation, this.#inTurn, {});
  }

  /** When every run of now has ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.ended));
  }

  #start(
    operation: Operation,
    turn: (go: () => Promise<RunEnd>) => Promise<RunEnd>,
    { waitMs = operation.retry.waitMs, first, now }: StartOptions,
  ): Promise<RunEnd> {
    const id = operationId(operation);
    const { clock } = this.#ports;
    const extend = (run: Run) => {
      run.deadline = Math.max(run.deadline, clock.now() + Math.max(waitMs, LEAST_RUN_MS));
    };
    const running = this.#runs.get(id);
    if (running) {
      extend(running);
      if (now) running.hurry.ring();
      return running.ended;
    }
    const run: Run = { deadline: 0, hurry: new Bell(), ended: new Promise(() => {}) };
    this.#runs.set(id, run);
    run.ended = turn(async () => {
      extend(run);
      const end = await this.#run(operation, { deadline: () => run.deadline, hurry: run.hurry }, first);
      if (end.kind === 'settled') await this.#handOver(id, end.operation);
      else this.#end(id, (waiter) => waiter.reject(this.#ports.errorOf(end)));
      return end;
    });
    return run.ended;
  }

  async #run(start: Operation, pace: RunPace, first?: () => Promise<void>): Promise<RunEnd> {
    const { store } = this.#ports;
    const id = operationId(start);
    try {
      await first?.();
    } catch (cause) {
      return { kind: 'not-stored', operation: start, cause };
    }
    try {
      const operation = store.get(id) ?? start;
      return operation.state === 'settled'
        ? { kind: 'settled', operation }
        : await runOperation(operation, pace, this.#ports);
    } catch (cause) {
      const left = store.get(id) ?? start;
      const operation =
        left.state === 'sending'
          ? await store.save(transition(left, { to: 'waiting', after: undefined, mayHaveRun: true }))
          : left;
      return { kind: 'unknown', reason: 'interrupted', operation, cause };
    }
  }

  async #handOver(id: string, operation: Operation): Promise<void> {
    const { store, waiters, transformer } = this.#ports;
    const outcome = outcomeOf(operation, transformer);
    if (!outcome) {
      const cause = new Error('the stored answer cannot be decoded by this version of the app');
      const error = this.#ports.errorOf({ kind: 'unknown', reason: 'interrupted', operation, cause });
      return this.#end(id, (waiter) => waiter.reject(error));
    }
    const told = waiters.has(id) || (await this.#tell(operation, outcome));
    // Somebody may have begun to wait while onSettled was busy, or refused.
    if (!told && !waiters.has(id)) return this.#end(id, () => {});
    this.#remember(id, outcome);
    // Gone before anybody hears, so that the very next call with this intent is a new operation. Storage follows.
    store.remove(operation, 'delivered');
    this.#end(id, (waiter) => (outcome.ok ? waiter.resolve(outcome.data) : waiter.reject(outcome.error)));
  }

  async #tell(operation: Operation, outcome: Outcome): Promise<boolean> {
    const { onSettled, listeners } = this.#ports;
    if (!onSettled) return false;
    try {
      await onSettled(operation, outcome);
      return true;
    } catch (error) {
      listeners.tell({ type: 'undelivered', operation, error });
      return false;
    }
  }

  /** In one tick, so that whoever hears of the end can start it again. */
  #end(id: string, how: Parameters<Waiters['end']>[1]): void {
    this.#runs.delete(id);
    this.#ports.waiters.end(id, how);
  }

  #remember(id: string, outcome: Outcome): void {
    this.#remembered.set(id, outcome);
    if (this.#remembered.size > REMEMBERED)
      this.#remembered.delete(this.#remembered.keys().next().value as string);
  }
}
