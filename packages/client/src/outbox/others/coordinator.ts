import type { Others } from './others.js';

/**
 * How those who have a storage at the same time keep out of each other's way; each storage names its own. Made here alone:
 * `alone`, `betweenTabs`, `betweenProcesses`, or `coordinatedBy()` for a coordination of an app's own.
 */
export interface Coordinator {
  /** For the outbox, in words of its own: {@link joinOthers}. */
  readonly join: (outbox: never) => unknown;
}

/** @typeParam TNeeds what it needs of the outbox that joins */
export function coordinator<TNeeds>(join: (outbox: TNeeds) => Others): Coordinator {
  return { join };
}

/** An outbox comes to those who have its storage already. */
export function joinOthers({ join }: Coordinator, outbox: object): Others {
  return (join as (outbox: object) => Others)(outbox);
}
