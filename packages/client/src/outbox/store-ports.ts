import type { Clock } from '../attempts/clock.js';
import type { Coordination } from './coordination/coordination.js';
import type { Listeners } from './events.js';
import type { Operation } from './operation.js';
import type { OutboxStorage } from './storage.js';

/** What the stored operations need of the world. */
export interface StorePorts {
  readonly storage: OutboxStorage;
  readonly listeners: Listeners;
  readonly coordination: Coordination;
  readonly clock: Clock;
  /** Told of what was handed over elsewhere. */
  readonly delivered?: (operation: Operation) => void;
}
