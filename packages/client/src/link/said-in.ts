import type { IdempotencyContext } from './options.js';

/**
 * What a call says in its tRPC context. What was meant for it and is called otherwise is handed on under its own name, as
 * an option that there is not, and so refused: another link's name that looks like ours costs a rename, an intent that
 * nobody heard of a second order.
 */
export function saidIn(given: Readonly<Record<string, unknown>> | null | undefined): IdempotencyContext {
  const context = given ?? {};
  if (Object.hasOwn(context, 'idempotency'))
    return (context['idempotency'] ?? { idempotency: undefined }) as IdempotencyContext;
  const meant = Object.keys(context).find((name) => /^(idem|intent$)/i.test(name));
  return meant === undefined ? {} : ({ [`context.${meant}`]: undefined } as IdempotencyContext);
}
