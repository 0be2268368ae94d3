import { TRPCError } from '@trpc/server';
import type { IdempotencyFacts } from '@trpc-once/contract';
import { wireOf } from '../wire/wire-context.js';

/**
 * Kept beside the error and not only on it: an app's error may carry, as itself or as its cause, the facts of a call
 * that its handler made to another server, and those are not this call's.
 */
const facts = new WeakMap<Error, IdempotencyFacts>();

/** tRPC keeps the shape of an error on the error, and tells it in that shape whoever throws it next. */
const told = new WeakSet<Error>();

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

/** Notes that the error has its shape. */
export function markTold(error: Error): void {
  told.add(error);
}

export function isTold(error: Error): boolean {
  return told.has(error);
}

/**
 * An error that says nothing of another call yet: itself, or one around it where it was thrown before, by a call that
 * this one made on the server, or because the app throws one object again and again. tRPC keeps a shape under a symbol.
 */
export function ownError(error: TRPCError): TRPCError {
  if (!told.has(error) && !facts.has(error) && Object.getOwnPropertySymbols(error).length === 0) return error;
  const { code, message } = error;
  return new TRPCError({ code, message, cause: error });
}

/**
 * Of an error that did not come through the claim. In front of it (not allowed, input refused) nothing is said: this
 * attempt has settled nothing, but an earlier one may have, and nobody has looked. Where the operation has been answered,
 * one of the app's own middlewares failed behind that, and who asks again gets the outcome; or it made another error of the
 * answer, and says so by its `cause`: what is known of the answer is true of that as well.
 */
export function factsWithout(ctx: unknown, error: Error): IdempotencyFacts | undefined {
  const wire = wireOf(ctx);
  if (!wire?.settlement && !wire?.failed) return undefined;
  const { failed, key } = wire;
  if (failed && causes(error).includes(failed)) return facts.get(failed);
  return { settlement: 'unknown', ...(key.ok && { key: key.key }) };
}

/** An error and what it has as its cause; ten are enough, and some go round in circles. */
function causes(error: unknown, most = 10): unknown[] {
  return error instanceof Error && most > 0 ? [error, ...causes(error.cause, most - 1)] : [];
}
