import { type IdempotencyFacts, wireHeaders } from '@trpc-once/contract';
import { factsOf, factsWithout } from '../errors/error-facts.js';
import { wireOf } from './wire-context.js';

interface ResponseMetaOptions {
  readonly ctx?: unknown;
  readonly errors: readonly Error[];
  readonly info?: { readonly calls: readonly unknown[] } | undefined;
  /** What is about to be sent, one part a call. */
  readonly data?: readonly unknown[];
}

/**
 * The headers of an answer: those its handler set, `Idempotency-Status`, `Idempotency-Replayed` and `Retry-After`.
 * A batch has several answers and gets none; each error's `data.idempotency` says the same.
 */
export function responseMeta(options: ResponseMetaOptions): { headers?: Headers } {
  const wire = wireOf(options.ctx);
  if (wire) wire.headersAsked = true;
  if ((options.info?.calls.length ?? 1) > 1) return {};
  const [error] = options.errors;
  const own = error && factsOf(error);
  const facts = own ?? (error && factsWithout(options.ctx, error));
  if (facts && (!own || error === wire?.failed)) sayInData(options, facts);
  // An error that is not of the answer says nothing of it, though the operation may have been answered before it.
  const settlement = error ? facts?.settlement : wire?.settlement;
  const outcome = settlement === 'settled' || settlement === 'replayed' ? settlement : undefined;
  const headers = new Headers(outcome && wire?.headers);
  if (outcome) headers.set(wireHeaders.status, outcome);
  if (settlement === 'replayed') headers.set(wireHeaders.replayed, 'true');
  if (facts?.retryAfterMs !== undefined)
    headers.set(wireHeaders.retryAfter, String(Math.ceil(facts.retryAfterMs / 1_000)));
  return { headers };
}

/**
 * A middleware in front of `once.idempotent` may fail when the operation was answered, and no formatter of ours sees what
 * it throws. Left as it is, its 4xx would be taken for "it did not happen"; whoever asks again gets the outcome. An answer of
 * ours has its facts by now, unless a formatter of the app's had the last word after all.
 */
function sayInData({ data }: ResponseMetaOptions, idempotency: IdempotencyFacts): void {
  const [told] = (data ?? []) as { error?: { data?: object } }[];
  // Copied: an app may tell one error again and again. What a formatter of ours has said stays.
  if (told?.error && !('idempotency' in (told.error.data ?? {})))
    told.error = { ...told.error, data: { ...told.error.data, idempotency } };
}
