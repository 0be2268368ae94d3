import type { Others } from '../others/others.js';
import type { Runs } from '../runs/runs.js';
import type { StoredOperations } from '../store/stored-operations.js';
import type { Wake } from './page-events.js';
import { ResumeByTime, type ResumeByTimeNeeds } from './resume-by-time.js';

/** Longer than a deployment takes to replace one process by the next would be felt; much more often would be in vain. */
const LEAD_AGAIN_MS = 3_000;

/** What it needs of the outbox. */
export interface WatchNeeds extends ResumeByTimeNeeds {
  readonly store: Pick<StoredOperations, 'get' | 'of' | 'load'>;
  readonly runs: Pick<Runs, 'get' | 'start' | 'wake'>;
  readonly others: Others;
  /** Resumes everything; `unasked` leaves out what only a person can change. */
  resumeAll(unasked: boolean): Promise<unknown>;
}

/**
 * Keeps up with a page that slept, and with the others. Of all that resume by themselves one leads at a time, for as long
 * as it lives: it resumes what it finds, and by time. A page that is shown resumes too, leader or not: somebody looks at it, and the
 * leader may be asleep.
 */
export class Watch {
  readonly #outbox: WatchNeeds;
  readonly #byTime: ResumeByTime | undefined;
  #leading: Promise<void> = Promise.resolve();
  /** Whether it resumes by itself at all. */
  #unasked = false;

  constructor(outbox: WatchNeeds) {
    this.#outbox = outbox;
    const { rhythm, onWake, closing } = outbox;
    this.#byTime = rhythm && new ResumeByTime(outbox, rhythm);
    const off = onWake?.((why) => this.wake(why));
    closing.on(() => {
      this.#byTime?.end();
      try {
        off?.();
      } catch (error) {
        // The app's own, and the rest has to close all the same.
        console.error(error);
      }
    });
  }

  /** Resumes by itself from now on, once it is this one's turn to lead. */
  lead(): void {
    this.#unasked = true;
    // Closed, or storage cannot be read: whoever wants to know why hears it from list().
    this.#leading = this.#lead().catch(() => this.#leadLater());
  }

  /** Storage may be read again: a full disk was cleared, the process that had the directory has ended. */
  #leadLater(): void {
    const { rhythm, closing, others } = this.#outbox;
    if (!rhythm || closing.closed) return;
    others.leave();
    const off = closing.on(() => callOff());
    const callOff = rhythm.clock.after(LEAD_AGAIN_MS, () => {
      off();
      this.lead();
    });
  }

  async #lead(): Promise<void> {
    const { others, closing, store, resumeAll } = this.#outbox;
    await others.lead();
    if (closing.closed) return;
    // They share one reading of the storage.
    const known = store.load().finally(() => closing.closed || this.#byTime?.begin());
    await Promise.all([resumeAll(false), known]);
  }

  /** Resumes nothing by time of what was there until now. */
  forget(): void {
    this.#byTime?.forget();
  }

  /** When nothing of it is left. */
  async ended(): Promise<void> {
    await this.#leading;
    this.#outbox.others.leave();
  }

  wake(why: Wake): void {
    const { runs, store, others, resumeAll } = this.#outbox;
    runs.wake();
    store.load().catch(() => {});
    if (!this.#unasked) return;
    if (others.lostLead) {
      others.leave();
      this.lead();
    }
    if (why === 'shown' || others.leads) resumeAll(true).catch(() => {});
  }
}
