import { setTimeout as delay } from 'node:timers/promises';

/** Something did not come to its end: a page that does not answer any more keeps whoever asks it waiting for ever. */
export class Hung extends Error {
  override readonly name = 'Hung';
}

/**
 * What a promise comes to.
 * @param what is done, for the words that tell what hung
 * @throws Hung when it takes longer than `withinMs`
 */
export async function inTime<T>(what: string, withinMs: number, act: Promise<T>): Promise<T> {
  const calledOff = new AbortController();
  const late = delay(withinMs, undefined, { signal: calledOff.signal }).then(() => {
    throw new Hung(`${what} has not ended within ${withinMs / 1_000} s`);
  });
  // Whichever of the two is too late is of no interest any more.
  late.catch(() => {});
  act.catch(() => {});
  try {
    return await Promise.race([act, late]);
  } finally {
    calledOff.abort();
  }
}
