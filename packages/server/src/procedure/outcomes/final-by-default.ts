import type { TRPCError } from '@trpc/server';

/** Faults of the server, which a further attempt may not meet, and answers that mean "not now". */
const passing: ReadonlySet<TRPCError['code']> = new Set([
  'INTERNAL_SERVER_ERROR',
  'NOT_IMPLEMENTED',
  'BAD_GATEWAY',
  'SERVICE_UNAVAILABLE',
  'GATEWAY_TIMEOUT',
  'UNAUTHORIZED',
  'TIMEOUT',
  'TOO_MANY_REQUESTS',
  'CLIENT_CLOSED_REQUEST',
]);

/**
 * Whether an undeclared error of a handler is an outcome. Every client takes a 404 or a 409 for the answer and stops
 * asking. Were the operation released all the same, a copy of the request that is still under way could run and succeed
 * after somebody was told that it did not.
 *
 * @example
 * ```ts
 * // A 404 of this app means that a replica is behind.
 * isFinal: (error) => error.code !== 'NOT_FOUND' && finalByDefault(error),
 * ```
 */
export function finalByDefault({ code }: TRPCError): boolean {
  return !passing.has(code);
}
