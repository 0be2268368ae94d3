import type { IdempotencyContext } from './options.js';

/**
 * What a call through `idempotencyLink()` says of its operation, as the options of any tRPC call take it; a name that is
 * misspelt in here does not compile.
 *
 * @example
 * ```ts
 * await trpc.orders.place.mutate(input, idempotent({ intent: `checkout:${cart.id}` }));
 * ```
 */
export function idempotent(said: IdempotencyContext): {
  readonly context: { readonly idempotency: IdempotencyContext };
} {
  return { context: { idempotency: said } };
}
