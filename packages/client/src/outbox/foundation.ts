import type { Closing } from '../attempts/closing.js';
import type { Listeners } from './operation/events.js';
import type { OutboxPorts } from './ports.js';

/** What every part of an outbox stands on. What else a part needs, it says itself, and finds once all of them are made. */
export interface Foundation extends OutboxPorts {
  readonly closing: Closing;
  /** Closes some time after the outbox: until then onSettled may finish. */
  readonly lastCall: Closing;
  readonly listeners: Listeners;
  /** Whose operations may be sent: nobody's while they are signing out. @throws whatever the app's `owner` throws */
  sender(): string | null | undefined;
  /** Whether everything of an owner is just being removed, who signs out. */
  purges(owner: string | null): boolean;
}
