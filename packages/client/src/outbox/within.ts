import type { Clock } from '../attempts/clock.js';
import type { Closing } from '../attempts/closing.js';

/** What a promise of the app's comes to; `undefined` when that takes longer than `ms`, or when it closes first. */
export function within<T>(
  ms: number,
  clock: Clock,
  closing: Closing,
  promise: Promise<T>,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      for (const callOff of waits) callOff();
    };
    const give = () => {
      stop();
      resolve(undefined);
    };
    const waits = [clock.after(ms, give), closing.on(give)];
    promise.finally(stop).then(resolve, reject);
    if (closing.closed) give();
  });
}
