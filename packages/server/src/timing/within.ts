/** Something that should have answered by now did not. Reads as a fault of the connection. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly code = 'ETIMEDOUT';
}

/** A timer for longer fires after one millisecond, and a limit that somebody set to Infinity would fail everything. */
const LONGEST_MS = 2_147_483_647;

/**
 * Waits for `pending` at most `ms` milliseconds.
 * @throws NoAnswerError when time is up; `pending` goes on, and its late end is not reported as unhandled.
 */
export async function within<T>(pending: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const limitMs = Math.min(ms, LONGEST_MS);
    timer = setTimeout(() => reject(new NoAnswerError(`${what} took longer than ${ms} ms`)), limitMs);
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
    pending.catch(() => {});
  }
}
