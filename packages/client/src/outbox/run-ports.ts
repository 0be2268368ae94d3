import type { Clock } from '../attempts/clock.js';
import type { Closing } from '../attempts/closing.js';
import type { Evidence } from '../attempts/evidence.js';
import type { RetryBudget } from '../attempts/retry-budget.js';
import type { Attempt } from '../attempts/send-attempt.js';
import type { Session } from '../attempts/session.js';
import type { Coordination } from './coordination/coordination.js';
import type { StoredOperations } from './stored-operations.js';

/** What a run needs of the world. */
export interface RunPorts {
  readonly store: StoredOperations;
  readonly coordination: Coordination;
  readonly clock: Clock;
  readonly random: () => number;
  /** Of the outbox. */
  readonly closing: Closing;
  /** Who is signed in now. */
  owner(): string | null;
  /** Whether this version of the app still has the procedure. */
  knows(path: string): boolean;
  send(attempt: Attempt): Promise<Evidence>;
  readonly session: Session;
  readonly budget: RetryBudget;
}
