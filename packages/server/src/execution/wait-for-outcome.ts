import type { GuardedClaims } from '../claims/guarded-claims.js';
import type { Answer, Call } from './call.js';

/** Waiting instead of answering 409 at once. */
export interface WhenInProgress {
  /**
   * How long a duplicate waits for the outcome before it is answered 409, in milliseconds. Keep it below the clients'
   * attempt timeout (10 seconds by default), or they give up first and ask again.
   */
  readonly waitMs: number;
  /**
   * How many duplicates may wait in this process at once; those beyond it are answered 409 at once.
   * @default 1_000
   */
  readonly maxWaiters?: number;
}

export interface WaitPorts<TTransaction> {
  readonly claims: Pick<GuardedClaims, 'watch'>;
  execute(call: Call<TTransaction>): Promise<Answer>;
}

/** Behind the news, which may be lost: how often a waiter looks for himself. Slow, because it is seldom needed. */
const FIRST_LOOK_MS = 200;
const LOOK_MS = 1_000;

/**
 * Lets duplicates of a call in progress wait for its outcome: refused → listening → (news or a slow look → asks again)* →
 * any other answer, or refused after all. A waiter holds no database connection, and no claim; asking again is an attempt
 * like any other, so where the first one failed, a waiter runs.
 */
export class WaitForOutcome<TTransaction> {
  readonly #ports: WaitPorts<TTransaction>;
  readonly #waitMs: number;
  readonly #maxWaiters: number;
  readonly #wakers = new Set<() => void>();
  #waiting = 0;
  #closed = false;

  constructor(ports: WaitPorts<TTransaction>, { waitMs, maxWaiters = 1_000 }: WhenInProgress) {
    this.#ports = ports;
    this.#waitMs = waitMs;
    this.#maxWaiters = maxWaiters;
  }

  async execute(call: Call<TTransaction>): Promise<Answer> {
    const until = performance.now() + this.#waitMs;
    const answer = await this.#ports.execute(call);
    if (!isInProgress(answer) || this.#closed || this.#waiting >= this.#maxWaiters) return answer;
    this.#waiting++;
    try {
      return await this.#wait(call, until);
    } finally {
      this.#waiting--;
    }
  }

  /** Ends every wait at once with the answer it has. */
  close(): void {
    this.#closed = true;
    for (const wake of this.#wakers) wake();
  }

  async #wait(call: Call<TTransaction>, until: number): Promise<Answer> {
    const news = new News();
    const wake = (): void => news.arrive();
    this.#wakers.add(wake);
    const stop = await this.#ports.claims.watch(call.id, wake);
    try {
      // It may have ended between the refusal and the first moment of listening.
      let answer = await this.#ports.execute(call);
      for (let lookMs = FIRST_LOOK_MS; isInProgress(answer) && !this.#closed; lookMs = LOOK_MS) {
        const leftMs = until - performance.now();
        if (leftMs <= 0) break;
        await news.within(Math.min(leftMs, lookMs));
        answer = await this.#ports.execute(call);
      }
      return answer;
    } finally {
      this.#wakers.delete(wake);
      stop();
    }
  }
}

/** Remembers that news came, also when nobody was waiting for it just then. */
class News {
  #arrived = false;
  #wake: (() => void) | undefined;

  arrive(): void {
    this.#arrived = true;
    this.#wake?.();
  }

  async within(ms: number): Promise<void> {
    if (!this.#arrived)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#arrived = false;
    this.#wake = undefined;
  }
}

function isInProgress(answer: Answer): boolean {
  return answer.kind === 'refused' && answer.refusal === 'IN_PROGRESS';
}
