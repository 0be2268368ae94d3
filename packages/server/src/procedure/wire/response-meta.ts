import { wireHeaders } from '@trpc-once/contract';
import { factsOf } from '../errors/error-facts.js';
import { wireOf } from './wire-context.js';

interface ResponseMetaOptions {
  readonly ctx?: unknown;
  readonly errors: readonly Error[];
  readonly info?: { readonly calls: readonly unknown[] } | undefined;
}

/**
 * The headers of an answer: those its handler set, `Idempotency-Status`, `Idempotency-Replayed` and `Retry-After`.
 * A batch has several answers and gets none; each error's `data.idempotency` says the same.
 */
export function responseMeta(options: ResponseMetaOptions): { headers?: Headers } {
  if ((options.info?.calls.length ?? 1) > 1) return {};
  const [error] = options.errors;
  const facts = error && factsOf(error);
  const wire = wireOf(options.ctx);
  // An error without facts is not the operation's answer, though it may have been answered before it.
  const settlement = error ? facts?.settlement : wire?.settlement;
  const headers = new Headers(settlement && wire?.headers);
  if (settlement === 'settled' || settlement === 'replayed') headers.set(wireHeaders.status, settlement);
  if (settlement === 'replayed') headers.set(wireHeaders.replayed, 'true');
  if (facts?.retryAfterMs !== undefined)
    headers.set(wireHeaders.retryAfter, String(Math.ceil(facts.retryAfterMs / 1_000)));
  return { headers };
}
