import { Closing } from '../../attempts/closing.js';
import { within } from '../../attempts/pause.js';
import type { Foundation } from '../foundation.js';
import type { Call } from './call.js';

/** How long others and the storage may take before a call is in, for a caller of less patience as well: phones wake slowly. */
const ENTER_MS = 10_000;

/** How long a call waits until it is in. */
export interface Patience {
  /** What a promise comes to; `undefined` when that takes too long, the caller leaves or the outbox closes. */
  for<T>(promise: Promise<T>): Promise<T | undefined>;
  end(): void;
}

export function patienceOf(
  { waitMs, signal }: Call,
  { clock, closing }: Pick<Foundation, 'clock' | 'closing'>,
): Patience {
  const leaving = new Closing();
  const leave = () => leaving.close();
  const off = closing.on(leave);
  signal?.addEventListener('abort', leave);
  return {
    for: (promise) => within(Math.max(waitMs ?? 0, ENTER_MS), clock, leaving, promise),
    end() {
      off();
      signal?.removeEventListener('abort', leave);
    },
  };
}
