import { backoffMs } from './backoff.js';
import type { Bell } from './bell.js';
import type { Clock } from './clock.js';
import type { Closing } from './closing.js';

/**
 * How many more failures than answers an origin may show before repeating stops being help, and how many repeated
 * attempts may be under way at once. As much as the AWS SDKs' quota has room for (500 for retries that cost 5).
 */
const FULL = 100;

/**
 * How far apart probes are at least, and how much more it may become by and by: soon enough for people who wait, too
 * seldom to keep a server down.
 */
const PROBE_MS = 1_000;
const MORE = { minDelayMs: 1_000, maxDelayMs: 9_000 };

/** How long a repeated attempt is willing to wait for its turn. */
export interface TurnPace {
  /** Epoch milliseconds; asked anew, since it can move. */
  deadline(): number;
  readonly closing: Closing;
  /** Rings when somebody does not want to wait for the next probe. */
  readonly hurry: Bell;
}

interface Waiting {
  urgent: boolean;
  go(admitted: boolean): void;
}

/**
 * What all operations of one origin may spend on repetition together. A first attempt always goes: somebody wants it. A
 * repeated one goes while answers keep up with failures; else it waits, and spends none of its operation's attempts.
 *
 * ```
 *   flowing ── failures outnumber answers by FULL ──► probing: one attempt at a time, 1 to 10 s apart
 *      ▲                                                 │ one answer
 *      └──────────── answers come ◄── recovering: as many at once as answers came, so doubling each time
 * ```
 *
 * Without it every operation repeats by its own backoff alone: 3,000 operations in one outage made 33,000 attempts.
 * Up to two attempts for each that is answered is also the share that Google's clients allow themselves.
 *
 * @see https://sre.google/sre-book/handling-overload/ client-side throttling
 */
export class RetryBudget {
  readonly #clock: Clock;
  readonly #random: () => number;
  #tokens = FULL;
  #underWay = 0;
  #failedProbes = 0;
  #lastFailedAt = 0;
  #probeAt = 0;
  #waiting: Waiting[] = [];
  #callOff: () => void = () => {};

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Waits for this repeated attempt's turn, and says whether it came before the deadline and the closing. After `true`,
   * {@link ended} must follow.
   */
  turn({ deadline, closing, hurry }: TurnPace, urgent: boolean): Promise<boolean> {
    return new Promise((resolve) => {
      let callOffDeadline = () => {};
      const waiting: Waiting = {
        urgent,
        go: (admitted) => {
          this.#waiting = this.#waiting.filter((other) => other !== waiting);
          for (const off of [callOffDeadline, offClosing, offHurry]) off();
          resolve(admitted);
        },
      };
      const leave = () => {
        waiting.go(false);
        this.#admit();
      };
      const offClosing = closing.on(leave);
      const offHurry = hurry.on(() => {
        waiting.urgent = true;
        this.#admit();
      });
      const untilDeadline = () => {
        const leftMs = deadline() - this.#clock.now();
        if (leftMs < 0) leave();
        else callOffDeadline = this.#clock.after(leftMs + 1, untilDeadline);
      };
      this.#waiting.push(waiting);
      untilDeadline();
      if (closing.closed) leave();
      else this.#admit();
    });
  }

  /**
   * An attempt is over. `answered`: whether the server dealt with it; `undefined` when the attempt tells nothing of the
   * server. `repeated`: whether it had its turn from here.
   */
  ended(answered: boolean | undefined, repeated: boolean): void {
    if (repeated) this.#underWay -= 1;
    if (answered === true) {
      this.#tokens = Math.min(FULL, this.#tokens + 1);
      this.#failedProbes = 0;
    } else if (answered === false) {
      const probing = this.#tokens === 0;
      this.#tokens = Math.max(0, this.#tokens - 1);
      // First attempts that fail meanwhile say nothing new.
      if (this.#tokens === 0 && (repeated || !probing)) {
        this.#lastFailedAt = this.#clock.now();
        this.#failedProbes += 1;
        this.#probeAt = this.#lastFailedAt + PROBE_MS + backoffMs(this.#failedProbes, MORE, this.#random);
      }
    }
    this.#admit();
  }

  #admit(): void {
    this.#callOff();
    this.#callOff = () => {};
    for (;;) {
      const next = this.#waiting.find(({ urgent }) => urgent) ?? this.#waiting[0];
      if (!next) return;
      if (this.#underWay >= Math.max(1, this.#tokens)) return;
      if (this.#tokens === 0) {
        const now = this.#clock.now();
        const waitMs = (next.urgent ? this.#lastFailedAt + PROBE_MS : this.#probeAt) - now;
        // A clock that was set back must not hold everything up.
        if (waitMs > 0 && now >= this.#lastFailedAt) {
          this.#callOff = this.#clock.after(waitMs, () => this.#admit());
          return;
        }
      }
      this.#underWay += 1;
      next.go(true);
    }
  }
}

/** By clock, so that tests with clocks of their own do not meet. */
const budgets = new WeakMap<Clock, Map<string, RetryBudget>>();

/** The one budget of a URL's origin, whichever client asks; relative URLs are the page's own origin. */
export function retryBudgetOf(url: string, clock: Clock, random: () => number): RetryBudget {
  const origin = /^\w+:\/\/[^/?#]+/.exec(url)?.[0].toLowerCase() ?? '';
  const ofClock = budgets.get(clock) ?? new Map<string, RetryBudget>();
  budgets.set(clock, ofClock);
  const budget = ofClock.get(origin) ?? new RetryBudget(clock, random);
  ofClock.set(origin, budget);
  return budget;
}
