/** A call was not made, because those before it failed. */
export class LeftAloneError extends Error {
  override readonly name = 'LeftAloneError';
}

export interface CircuitBreakerOptions {
  /** After this many failures in a row nothing is called for `pauseMs`. */
  readonly failures: number;
  readonly pauseMs: number;
  /** Told once when it opens, and once when it closes. */
  readonly onChange: (closed: boolean) => void;
}

/** @throws LeftAloneError without calling, while it is open; else what the call throws. */
export type CircuitBreaker = <T>(call: () => Promise<T>) => Promise<T>;

/**
 * closed → (failures in a row) → open → (pause over) → one call tries → closed | open.
 *
 * Our own, for two things that the libraries' breakers do: they count the pause on the system's clock, so that setting
 * it back an hour leaves the store alone for an hour; and they let everybody wait for the one call that tries.
 */
export function circuitBreaker({ failures, pauseMs, onChange }: CircuitBreakerOptions): CircuitBreaker {
  let failed = 0;
  let openUntil: number | undefined;
  let trying = false;

  const succeed = (): void => {
    failed = 0;
    if (openUntil === undefined) return;
    openUntil = undefined;
    onChange(true);
  };
  const fail = (): void => {
    failed++;
    if (failed < failures) return;
    const opens = openUntil === undefined;
    openUntil = performance.now() + pauseMs;
    if (opens) onChange(false);
  };

  return async (call) => {
    const tries = openUntil !== undefined;
    if (openUntil !== undefined && (trying || performance.now() < openUntil)) throw new LeftAloneError();
    if (tries) trying = true;
    try {
      const value = await call();
      succeed();
      return value;
    } catch (error) {
      fail();
      throw error;
    } finally {
      if (tries) trying = false;
    }
  };
}
