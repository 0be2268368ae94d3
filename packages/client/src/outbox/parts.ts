import type { Clock } from '../attempts/clock.js';
import type { Closing } from '../attempts/closing.js';
import type { Evidence } from '../attempts/evidence.js';
import type { RetryBudget } from '../attempts/retry-budget.js';
import type { Attempt } from '../attempts/send-attempt.js';
import type { Session } from '../attempts/session.js';
import type { WireTransformer } from '../attempts/transformer.js';
import type { Calls } from './calls/calls.js';
import type { Others } from './coordination/others.js';
import type { HandOver, OnSettled } from './hand-over/hand-over.js';
import type { Waiters } from './hand-over/waiters.js';
import type { Listeners } from './operation/events.js';
import type { Lanes } from './runs/lanes.js';
import type { Runs } from './runs/runs.js';
import type { OutboxStorage } from './storages/storage.js';
import type { StoredOperations } from './store/stored-operations.js';
import type { OnWake } from './waking/page-events.js';
import type { Rhythm } from './waking/resume-by-time.js';
import type { Watch } from './waking/watch.js';

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

/** What an outbox consists of. Each part finds the others here, once all of them are made. */
export interface Parts extends OutboxPorts {
  readonly closing: Closing;
  /** Closes some time after the outbox: until then onSettled may finish. */
  readonly lastCall: Closing;
  readonly listeners: Listeners;
  readonly waiters: Waiters;
  readonly store: StoredOperations;
  readonly lanes: Lanes;
  readonly handOver: HandOver;
  readonly runs: Runs;
  readonly calls: Calls;
  readonly watch: Watch;
  readonly others: Others;
  /** Whose operations may be sent: nobody's while they are signing out. @throws whatever the app's `owner` throws */
  sender(): string | null | undefined;
  /** Whether everything of an owner is just being removed, who signs out. */
  purges(owner: string | null): boolean;
  /** Resumes everything; `unasked` leaves out what only a person can change. */
  resumeAll(unasked: boolean): Promise<unknown>;
}
