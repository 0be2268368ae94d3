/** Something that should have answered by now did not. Reads as a fault of the connection. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly code = 'ETIMEDOUT';
}

/** A timer for longer fires after one millisecond, and a limit that somebody set to Infinity would fail everything. */
export const LONGEST_MS = 2_147_483_647;

/**
 * Waits for `pending` at most `ms` milliseconds.
 *
 * @param late What is waited for, in words; or what to throw in place of a NoAnswerError.
 * @throws NoAnswerError when time is up; `pending` goes on, and its late end is not reported as unhandled.
 */
export async function within<T>(pending: Promise<T>, ms: number, late: string | (() => Error)): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(typeof late === 'string' ? new NoAnswerError(`${late} took longer than ${ms} ms`) : late()),
      Math.min(ms, LONGEST_MS),
    );
  });
  try {
    return await Promise.race([pending, timeUp]);
  } finally {
    clearTimeout(timer);
    pending.catch(() => {});
  }
}
