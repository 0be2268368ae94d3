/** Something that should have answered by now did not. Reads as a fault of the connection. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly code = 'ETIMEDOUT';
}

/**
 * Waits for `pending` at most `ms` milliseconds.
 * @throws NoAnswerError when time is up; `pending` goes on, and its late end is not reported as unhandled.
 */
export async function within<T>(pending: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerError(`${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
    pending.catch(() => {});
  }
}
