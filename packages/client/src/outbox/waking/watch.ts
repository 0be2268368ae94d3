import { knownSender } from '../known-sender.js';
import type { Others } from '../others/others.js';
import type { Runs } from '../runs/runs.js';
import type { StoredOperations } from '../store/stored-operations.js';
import type { Wake } from './page-events.js';
import { ResumeByTime, type ResumeByTimeNeeds } from './resume-by-time.js';

/** How soon it tries to lead again: longer than a deployment takes to replace a process would be felt, much more often in vain. */
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
 * Keeps up with a page that slept, with the others, and with who is signed in. Of all that resume by themselves one leads
 * at a time for each owner, for as long as it lives: it resumes what it finds, and by time. A page that is shown resumes
 * too, leader or not: somebody looks at it, and the leader may be asleep.
 *
 * ```
 *              ┌──────────── another owner, or nobody knows who ────────────┐
 *              ▼                                                             │
 *   for nobody ── somebody is named ──► in line for the owner ── its turn ──► leads for the owner
 *              ▲                                                             │
 *              └── signed out, lost the lead, storage cannot be read ────────┘
 * ```
 *
 * Who is signed in can differ by tab (a session in sessionStorage), so one leader for all could ask for nobody but its own
 * owner's, and whoever waits behind it for nothing. The name that is held says for whom, so tabs of different owners are in
 * different lines, and "nobody" (`null`: the page to sign in) is an owner like any other. Everybody in an owner's line had
 * that owner signed in when last looked at, and leaves the line with the owner. Owners change without an event. So whoever
 * asks `owner()` here has this look at the answer as well, which is at every call, list, snapshot and resume, at what other
 * tabs tell, and before each send; and it looks itself when the page wakes, and by time. So one that has changed and did
 * nothing since keeps a line up no longer than that, and it never asks for anybody but who is signed in: whatever is
 * resumed is looked up by `owner()`, and checked again by each run.
 *
 * What an app does not know it cannot resume, so while tabs of two versions or of two apps are open each has a line of its
 * own (`OutboxPorts.app`), and leaves what it would only park to the other.
 *
 * Leading decides nothing: each operation has its own hold. Two leaders for one owner, as while tabs of a version are open
 * that held one name for all, cost a request at most.
 */
export class Watch {
  readonly #outbox: WatchNeeds;
  readonly #byTime: ResumeByTime | undefined;
  #leading: Promise<unknown> = Promise.resolve();
  /** Whom it leads for, or is in line for; `undefined` while nobody can say who is signed in, `this` before anybody was asked. */
  #owner: string | null | undefined | this = this;
  /** Whether it resumes by itself at all. */
  #unasked = false;
  /** Whether it has resumed everything once: what only a person can change is not asked for again as owners come and go. */
  #resumed = false;
  #callOff: (() => void) | undefined;

  constructor(outbox: WatchNeeds) {
    this.#outbox = outbox;
    const { rhythm, onWake, closing } = outbox;
    this.#byTime = rhythm && new ResumeByTime(outbox, rhythm);
    const off = onWake?.((why) => this.wake(why));
    closing.on(() => {
      this.#callOff?.();
      this.#byTime?.end();
      outbox.others.leave();
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
    this.#owner = this;
    this.#look();
  }

  /** Looks who is signed in, and again by time. */
  #look(): void {
    const { rhythm, closing } = this.#outbox;
    knownSender(this.#outbox);
    this.#callOff?.();
    if (!closing.closed) this.#callOff = rhythm?.clock.after(rhythm.minDelayMs, () => this.#look());
  }

  /** Hears every answer to who is signed in; `undefined` when there was none. */
  follow(owner: string | null | undefined): void {
    const { closing, others, rhythm } = this.#outbox;
    if (!this.#unasked || closing.closed || owner === this.#owner) return;
    this.#owner = owner;
    this.#byTime?.end();
    others.leave();
    const leading = this.#lead(owner).catch(() => {
      if (this.#leading !== leading) return;
      // Storage cannot be read: a disk is full, another process has the directory. Whoever wants to know hears it from list().
      others.leave();
      rhythm?.clock.after(LEAD_AGAIN_MS, () => this.lead());
    });
    this.#leading = leading;
  }

  async #lead(owner: string | null | undefined): Promise<void> {
    if (owner === undefined) throw owner;
    const { others, closing, store, resumeAll } = this.#outbox;
    await others.lead(owner);
    // They share one reading of the storage.
    const known = store.load().then(() => {
      this.#resumed = true;
      if (others.leads && !closing.closed) this.#byTime?.begin();
    });
    await Promise.all([resumeAll(this.#resumed), known]);
  }

  /** An owner has signed out here: what they left is resumed by what somebody does, or by another tab of theirs. */
  forget(owner: string | null): void {
    if (owner !== this.#owner) return;
    this.#byTime?.forget();
    const { others } = this.#outbox;
    if (others.leads) others.leave();
  }

  /** When nothing of it is left. */
  ended(): Promise<unknown> {
    return this.#leading;
  }

  wake(why: Wake): void {
    const { runs, store, others, resumeAll } = this.#outbox;
    runs.wake();
    if (others.lostLead) this.lead();
    else knownSender(this.#outbox);
    const resumes = this.#unasked && (why === 'shown' || others.leads);
    (resumes ? resumeAll(true) : store.load()).catch(() => {});
  }
}
