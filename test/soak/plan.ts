import type { Sabotage } from './sabotage.js';

/** How a soak is run. */
export interface Plan {
  /** How long faults are injected, in milliseconds. */
  readonly chaosMs: number;
  /** What is drawn: operations, faults, what senders do. When things meet is up to the machine. */
  readonly seed: number;
  readonly servers: number;
  /** Operations that are under way at any time. */
  readonly inFlight: number;
  /** Database connections of each server. With the handlers' dwelling they bound the load. */
  readonly connections: number;
  /** How long everything may take to come to its end once all faults are over, in milliseconds. */
  readonly calmMs: number;
  readonly sabotage?: Sabotage | undefined;
  /** Leave the logs, also of a soak in which nothing was found. */
  readonly keep?: boolean;
}
