import { readIdempotency } from '@trpc-once/contract';

/**
 * The idempotency key of whatever an idempotent call threw, business errors included; `undefined` when the error does not
 * come from one. By shape.
 *
 * @example
 * ```ts
 * catch (error) {
 *   report(error, { operation: keyOf(error) });
 * }
 * ```
 */
export function keyOf(error: unknown): string | undefined {
  const key = (error as { meta?: { idempotencyKey?: unknown } } | null | undefined)?.meta?.idempotencyKey;
  return typeof key === 'string' ? key : readIdempotency(error)?.key;
}
