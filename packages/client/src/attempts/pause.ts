import { Bell } from './bell.js';
import type { Clock } from './clock.js';
import type { Closing } from './closing.js';

/** Waits, or less when a bell rings; not at all when there is nothing left to wait for. */
export function pause(delayMs: number, clock: Clock, closing: Closing, ...bells: Bell[]): Promise<void> {
  if (delayMs <= 0 || closing.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      for (const callOff of waits) callOff();
      resolve();
    };
    const waits = [clock.after(delayMs, end), ...[closing, ...bells].map((bell) => bell.on(end))];
  });
}

/** What a promise comes to; `undefined` when that takes longer than `ms`, or when it closes first. */
export async function within<T>(
  ms: number,
  clock: Clock,
  closing: Closing,
  promise: Promise<T>,
): Promise<T | undefined> {
  const over = new Bell();
  try {
    return await Promise.race([promise, pause(ms, clock, closing, over) as Promise<undefined>]);
  } finally {
    over.ring();
  }
}
