import type { Fault } from '../faults.js';

/** What is done to one attempt, every figure of it drawn beforehand. */
export interface Decision {
  readonly fault: Fault;
  /** How long `delay-request`, `delay-answer` and `duplicate-late` wait. */
  readonly delayMs: number;
  /** Where `lose-answer-cut` cuts, as a share of the body, in [0, 1). */
  readonly cutAt: number;
  /** What `gateway-error` and `gateway-error-after` answer. */
  readonly gatewayStatus: 502 | 503 | 504;
  /** Which copy's answer the client gets after `duplicate-together` and `duplicate-in-turn`. */
  readonly answerOf: 1 | 2;
}

/** Decides each request's fault. A pure function, so that nothing but its arguments can change a schedule. */
export interface Schedule {
  /**
   * @param identity what the request is about: all attempts of one operation share it
   * @param attempt counted from 1, per identity, as the requests arrive at the proxy
   */
  decide(identity: string, attempt: number): Decision;
}
