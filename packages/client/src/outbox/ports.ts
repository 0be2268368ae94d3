import type { Clock } from '../attempts/clock.js';
import type { Evidence } from '../attempts/evidence.js';
import type { RetryBudget } from '../attempts/retry-budget.js';
import type { Attempt } from '../attempts/send-attempt.js';
import type { Session } from '../attempts/session.js';
import type { WireTransformer } from '../attempts/transformer.js';
import type { OnSettled } from './hand-over/on-settled.js';
import type { OutboxStorage } from './store/storage.js';
import type { OnWake } from './waking/page-events.js';
import type { Rhythm } from './waking/rhythm.js';

/** What an outbox needs of the world. */
export interface OutboxPorts {
  readonly storage: OutboxStorage;
  readonly transformer: WireTransformer;
  readonly clock: Clock;
  readonly random: () => number;
  readonly session: Session;
  readonly budget: RetryBudget;
  /** Who is signed in now. */
  owner(): string | null;
  /** Where this client sends. */
  server(): string;
  /** The same in all tabs and processes that can send the same: what they know, and where to. */
  readonly app: string;
  /** Whether this version of the app still has the procedure. */
  knows(path: string): boolean;
  send(attempt: Attempt): Promise<Evidence>;
  readonly onSettled?: OnSettled | undefined;
  /** Whether onSettled hears of an outcome before its callers do, and not only when there are none. @default false */
  readonly settledFirst?: boolean;
  /** How it resumes by time, once it leads. @default not at all */
  readonly rhythm?: Rhythm | undefined;
  /** Tells when the page is shown or online again. */
  readonly onWake?: OnWake | undefined;
}
