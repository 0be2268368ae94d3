import type { Closing } from '../attempts/closing.js';
import type { Coordination, Hold } from './coordination/coordination.js';
import { endingOf, type HandOver } from './hand-over.js';
import { decodeNews } from './news.js';
import { type Operation, operationId } from './operation.js';
import type { Wake } from './page-events.js';
import { ResumeByTime, type ResumeByTimePorts, type Rhythm } from './resume-by-time.js';
import type { Waiters } from './waiters.js';

export interface WatchPorts extends Omit<ResumeByTimePorts, 'rhythm' | 'leads'> {
  readonly coordination: Coordination;
  readonly closing: Closing;
  readonly waiters: Waiters;
  readonly handOver: HandOver;
  load(): Promise<void>;
  /** Resumes everything; `unasked` leaves out what only a person can change. */
  resume(unasked: boolean): Promise<unknown>;
  /** How the leader resumes by time as well; if it does. */
  readonly rhythm: Rhythm | undefined;
  readonly onWake: ((listener: (why: Wake) => void) => () => void) | undefined;
}

/**
 * Keeps up with the other tabs and processes, and with a page that slept. Of all that resume by themselves one leads at a
 * time: whoever has the hold named `lead`, for as long as it lives. The leader resumes what it finds, and follows what the
 * others do, so that it goes on where one of them dies; and it resumes by time. A page that is shown resumes too, leader or
 * not: somebody looks at it, and the leader may be asleep.
 */
export class Watch {
  readonly #ports: WatchPorts;
  readonly #leaving = new AbortController();
  readonly #ends: (() => void)[];
  readonly #byTime: ResumeByTime | undefined;
  #leads: Hold | undefined;
  #leading: Promise<void> = Promise.resolve();
  /** Whether it resumes by itself at all. */
  #unasked = false;

  constructor(ports: WatchPorts) {
    this.#ports = ports;
    const { rhythm } = ports;
    const leads = () => this.#leads?.lost === false;
    this.#byTime = rhythm && new ResumeByTime({ ...ports, rhythm, leads });
    this.#ends = [
      ports.coordination.hear((news) => this.#hear(news)),
      ports.onWake?.((why) => this.#wake(why)) ?? (() => {}),
    ];
    const off = ports.closing.on(() => {
      off();
      this.#leaving.abort(new Error('the outbox was closed'));
      for (const end of this.#ends) end();
      this.#byTime?.end();
    });
  }

  /** Resumes by itself from now on, once it is this one's turn to lead. */
  lead(): void {
    this.#unasked = true;
    this.#leading = this.#lead().catch(() => {
      // Closed, or storage cannot be read: whoever wants to know why hears it from list().
    });
  }

  async #lead(): Promise<void> {
    this.#leads = await this.#ports.coordination.hold('lead', this.#leaving.signal);
    if (this.#ports.closing.closed) return;
    // They share one reading of the storage.
    const known = this.#ports.load().finally(() => this.#ports.closing.closed || this.#byTime?.begin());
    await Promise.all([this.#ports.resume(false), known]);
  }

  /** Resumes nothing by time of what was there until now. */
  forget(): void {
    this.#byTime?.forget();
  }

  /** When nothing of it is left. */
  async ended(): Promise<void> {
    await this.#leading;
    this.#leads?.release();
  }

  #wake(why: Wake): void {
    this.#ports.runs.wake();
    this.#ports.load().catch(() => {});
    if (!this.#unasked) return;
    if (this.#leads?.lost) {
      this.#leads.release();
      this.#leads = undefined;
      this.lead();
    }
    if (why === 'shown' || this.#leads) this.#ports.resume(true).catch(() => {});
  }

  #hear(news: string | undefined): void {
    if (news === undefined) {
      if (this.#leads?.lost) this.#wake('online');
      else
        this.#ports.load().then(
          () => this.#followAll(),
          () => {},
        );
      return;
    }
    const heard = decodeNews(news);
    if (!heard) return;
    const [type, operation] = heard;
    const id = operationId(operation);
    const { store, handOver, waiters, runs } = this.#ports;
    // Late, of an operation whose key is used again: nobody here waits for that one.
    if (operation.createdAt < (store.get(id) ?? runs.of(id) ?? operation).createdAt) return;
    if (type === 'delivered' || type === 'dismissed') {
      const outcome = type === 'delivered' && handOver.outcomeOf(operation);
      store.adopt(heard);
      if (outcome) waiters.end(id, endingOf(outcome));
      runs.hurry(id);
      return;
    }
    if (runs.isAhead(id)) return;
    store.adopt(heard);
    // Whoever waits here and asks for nothing itself still gets it, though nobody there wants it.
    if (type === 'settled' && waiters.has(id)) void runs.start(operation);
    else this.#follow(operation);
  }

  #followAll(): void {
    for (const operation of this.#ports.store.of(this.#ports.owner())) this.#follow(operation);
  }

  #follow(operation: Operation): void {
    const { owner, runs, tells } = this.#ports;
    const { state, nextAttemptAt } = operation;
    const open =
      state === 'persisted' ||
      state === 'sending' ||
      (state === 'waiting' && nextAttemptAt !== undefined) ||
      (state === 'settled' && tells);
    if (!this.#leads || !open || operation.owner !== owner() || runs.has(operationId(operation))) return;
    void runs.start(operation, { follows: true });
  }
}
