import type { Operation } from './operation/operation.js';

export interface SignOutOptions {
  /**
   * What becomes of the operations without a known outcome: `keep` leaves them for when their owner is back, `purge`
   * removes them and everything else of this owner, here and in the other tabs.
   */
  readonly pending: 'keep' | 'purge';
  /** How long attempts under way may still bring their outcome. @default 3_000: longer than most take, and bearable */
  readonly waitMs?: number;
}

/** What a sign-out left. */
export interface SignOutReport {
  readonly owner: string | null;
  /** Operations that may have taken effect, and nobody was told: look them up before they are done again. */
  readonly unknown: number;
  /** Operations of which surely nothing happened. */
  readonly unsent: number;
  /** Operations whose outcome is known here, and was not handed over yet. */
  readonly undelivered: number;
  /** All of them, as they were; kept or purged, as was asked. */
  readonly operations: readonly Operation[];
  readonly pending: 'keep' | 'purge';
}

export function signOutReport(
  owner: string | null,
  operations: readonly Operation[],
  pending: SignOutOptions['pending'],
): SignOutReport {
  const undelivered = operations.filter(({ state }) => state === 'settled').length;
  // Attempts count when they begin, so one that a killed process began may be missing; then mayHaveRun says so.
  // One that is being sent has not come to that note yet.
  const surely = (one: Operation) => !one.mayHaveRun && one.state !== 'sending' && one.state !== 'settled';
  const unsent = operations.filter(surely).length;
  const unknown = operations.length - undelivered - unsent;
  return { owner, unknown, unsent, undelivered, operations, pending };
}
