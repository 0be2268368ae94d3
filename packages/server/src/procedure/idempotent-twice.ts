import { TRPCError } from '@trpc/server';
import type { Miswiring } from '../events/once-event.js';
import { withFacts } from './errors/error-facts.js';

/** Every middleware that makes a procedure idempotent: two on one procedure, and the second would meet the first one's claim. */
const guards = new WeakSet<object>();

export function noteGuard(guard: object): void {
  guards.add(guard);
}

/** How many of a procedure's middlewares make it idempotent. */
export function guardsIn(middlewares: readonly unknown[]): number {
  return middlewares.filter((middleware) => guards.has(middleware as object)).length;
}

/** How to mend `path`, whose middlewares make it idempotent more than once. */
export function twice(path: string): string {
  return `${path}: once.idempotent({ t }) stands on it twice, and would wait for itself: use it once`;
}

/** The same where `implement()` does it, and the app's base does it too. */
export const TWICE_IN_BASE =
  'implement(contract, { procedure }, handlers) makes the idempotent procedures of the contract so by itself, and this `procedure` has once.idempotent({ t }) in it, so they would wait for themselves: give it your base without it';

/**
 * What a procedure's input is read with, on the contexts behind its claim. One call has one such function, and a call that
 * its handler makes has another, though it may be made with the very same context.
 */
export const behind: unique symbol = Symbol('@trpc-once/server/behind') as never;

/**
 * Where nobody could look at the middlewares beforehand (a caller on the server has no request, a batch has several calls),
 * the second one sees that it is behind the first. That one then releases the key: nothing has happened.
 *
 * @throws TRPCError (INTERNAL_SERVER_ERROR) that tells how to mend it.
 */
export function requireOnce(
  { onMiswired }: { readonly onMiswired: (what: Miswiring, message: string) => void },
  { ctx, path, getRawInput }: { readonly ctx: unknown; readonly path: string; readonly getRawInput: unknown },
): void {
  if ((ctx as { [behind]?: unknown } | undefined)?.[behind] !== getRawInput) return;
  const message = twice(path);
  onMiswired('place', message);
  // Said so, or an app whose isFinal takes every error for an outcome would settle this one.
  throw withFacts(new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message }), { settlement: 'released' });
}
