import type { IdempotencyFacts } from '@trpc-once/contract';

/**
 * Kept beside the error and not only on it: an app's error may carry, as itself or as its cause, the facts of a call
 * that its handler made to another server, and those are not this call's.
 */
const facts = new WeakMap<Error, IdempotencyFacts>();

/** Attaches what became of this call; also readable as `error.idempotency`, for callers on the server itself. */
export function withFacts<TError extends Error>(error: TError, known: IdempotencyFacts): TError {
  facts.set(error, known);
  if (Object.isExtensible(error))
    Object.defineProperty(error, 'idempotency', { value: known, configurable: true, enumerable: false });
  return error;
}

export function factsOf(error: Error): IdempotencyFacts | undefined {
  return facts.get(error);
}
