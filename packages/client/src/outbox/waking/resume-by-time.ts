import { MAX_TIMER_MS } from '../../attempts/clock.js';
import type { Foundation } from '../foundation.js';
import { knownSender } from '../known-sender.js';
import type { OutboxEvent } from '../operation/events.js';
import { needsSomebody, type Operation, operationId } from '../operation/operation.js';
import { putOffUntil } from '../operation/stored-times.js';
import type { Others } from '../others/others.js';
import { notOfThisApp } from '../runs/hold-back.js';
import type { Lanes } from '../runs/lanes.js';
import type { Runs } from '../runs/runs.js';
import type { StoredOperations } from '../store/stored-operations.js';
import type { Rhythm } from './rhythm.js';

const NEVER = Number.POSITIVE_INFINITY;

interface Rest {
  /** How often it was asked for by time, since the server last put it off. */
  readonly asked: number;
  readonly settled: boolean;
  /** Of what the server put off: calls off its timer. */
  readonly later: (() => void) | undefined;
}

/** What it needs of the outbox. */
export interface ResumeByTimeNeeds extends Foundation {
  readonly store: Pick<StoredOperations, 'get' | 'of'>;
  readonly lanes: Pick<Lanes, 'before'>;
  readonly runs: Pick<Runs, 'get' | 'start'>;
  readonly others: Pick<Others, 'leads' | 'lostLead'>;
  readonly watch: { lead(): void };
}

/**
 * How many are asked for at a time while that is in vain: one would do as a probe, but it may be the one that is broken for
 * good. They take turns.
 */
const PROBES = 3;

/**
 * Asks by time for what nobody else asks for: operations whose attempts or wait are spent, each with one attempt that has
 * its turn in the origin's budget; those that the server put off, once that time is over; outcomes that onSettled refused.
 * An outage gets rarer and rarer probes, however many wait; the first outcome after it has all of them asked for.
 *
 * ```
 *   given up ──► resting ── minDelayMs, then twice as long each time, up to maxDelayMs ──► asked for once
 *                   ▲  ▲                                                                       │ no outcome
 *   put off ────────┘  └───────────────────────────────────────────────────────────────────────┘
 * ```
 *
 * What only somebody can change is left to them, and so is what is behind it in its lane.
 */
export class ResumeByTime {
  readonly #outbox: ResumeByTimeNeeds;
  readonly #rhythm: Rhythm;
  readonly #rests = new Map<string, Rest>();
  /** How often they were asked for since an outcome last came. */
  #vain = 0;
  /** When that happens next. */
  #nextAt = NEVER;
  #callOff = () => {};
  #off = () => {};

  constructor(outbox: ResumeByTimeNeeds, rhythm: Rhythm) {
    this.#outbox = outbox;
    this.#rhythm = rhythm;
  }

  begin(): void {
    this.end();
    const { listeners, store } = this.#outbox;
    this.#off = listeners.add((event) => this.#hear(event));
    for (const operation of store.of(knownSender(this.#outbox))) this.#rest(operationId(operation));
  }

  end(): void {
    this.#off();
    this.forget();
  }

  /** Everything of until now. */
  forget(): void {
    for (const { later } of this.#rests.values()) later?.();
    this.#rests.clear();
    this.#callOff();
    this.#nextAt = NEVER;
    this.#vain = 0;
  }

  #hear({ type, operation }: OutboxEvent): void {
    const id = operationId(operation);
    if (type === 'settled' && !this.#rests.get(id)?.settled) {
      this.#vain = 0;
      this.#askWithin();
    }
    this.#rest(id);
    if (this.#rests.size === 0) this.forget();
  }

  /** Lets an operation rest, if nobody has to do something about it. */
  #rest(id: string): void {
    const { store } = this.#outbox;
    const { clock } = this.#rhythm;
    const { asked = 0, later: callOff } = this.#rests.get(id) ?? {};
    callOff?.();
    this.#rests.delete(id);
    const operation = store.get(id);
    if (!operation || !this.#isOurs(operation)) return;
    const settled = operation.state === 'settled';
    const putOffMs = putOffUntil(operation, clock.now()) - clock.now();
    if (putOffMs > 0) {
      // A time further off than a timer reaches is looked at again on the way.
      const later = clock.after(Math.min(putOffMs, MAX_TIMER_MS), () => this.#rest(id));
      this.#rests.set(id, { asked: 0, settled, later });
      return;
    }
    this.#rests.set(id, { asked, settled, later: undefined });
    if (asked === 0) this.#askWithin();
    else if (this.#nextAt === NEVER) this.#askWithin(this.#vain);
  }

  #isOurs(operation: Operation): boolean {
    const { state, parked } = operation;
    if (state === 'settled') return this.#outbox.onSettled !== undefined;
    // It would only be parked; whoever can send it leads in a line of its own.
    if (notOfThisApp(operation, this.#outbox)) return false;
    return state !== 'expired' && !needsSomebody(parked);
  }

  /** Has all that rest asked for after the rest that follows `vain` times, unless that is sooner already. */
  #askWithin(vain = 0): void {
    const { clock, minDelayMs, maxDelayMs } = this.#rhythm;
    const restMs = (Math.min(maxDelayMs, minDelayMs * 2 ** vain) * (1 + this.#outbox.random())) / 2;
    const at = clock.now() + restMs;
    if (at >= this.#nextAt) return;
    this.#callOff();
    this.#nextAt = at;
    this.#callOff = clock.after(restMs, () => this.#ask());
  }

  #ask(): void {
    const { store, lanes, runs, others } = this.#outbox;
    const owner = knownSender(this.#outbox);
    this.#nextAt = NEVER;
    if (!others.leads || others.lostLead) {
      // Whoever slept past its lease, or has signed out and goes on, leads again once it is its turn, and begins anew.
      this.#outbox.watch.lead();
      return;
    }
    const resting = [...this.#rests].sort(([, one], [, other]) => one.asked - other.asked);
    let left = this.#vain > 0 ? PROBES : resting.length;
    const most = left;
    for (const [id, rest] of resting) {
      const operation = store.get(id);
      if (left === 0 || rest.later || !operation || operation.owner !== owner) continue;
      if (runs.get(id) || lanes.before(operation)) continue;
      left -= 1;
      this.#rests.set(id, { ...rest, asked: rest.asked + 1 });
      void runs.start(operation, { inTurn: true, byTime: true });
    }
    if (left < most) this.#vain += 1;
    for (const [id] of resting) this.#rest(id);
  }
}
