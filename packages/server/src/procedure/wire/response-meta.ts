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
  const facts = error && factsOf(error);
  // An error without facts is not the operation's answer, though it may have been answered before it.
  const settlement = error ? facts?.settlement : wire?.settlement;
  if (error && !facts) sayUnknown(options);
  const headers = new Headers(settlement && wire?.headers);
  if (settlement === 'settled' || settlement === 'replayed') headers.set(wireHeaders.status, settlement);
  if (settlement === 'replayed') headers.set(wireHeaders.replayed, 'true');
  if (facts?.retryAfterMs !== undefined)
    headers.set(wireHeaders.retryAfter, String(Math.ceil(facts.retryAfterMs / 1_000)));
  return { headers };
}

/**
 * A middleware in front of `once.idempotent` may fail when the operation has settled, and no formatter of ours sees what
 * it throws. Left as it is, its 4xx would be taken for "it did not happen"; whoever asks again gets the outcome.
 */
function sayUnknown({ ctx, data }: ResponseMetaOptions): void {
  const idempotency = factsWithout(ctx);
  const [told] = (data ?? []) as { error?: { data?: object } }[];
  if (idempotency && told?.error) told.error = withData(told.error, idempotency);
}

/** Copied: an app may tell one error again and again. What a formatter of ours has said stays. */
function withData<TShape extends { data?: object }>(shape: TShape, idempotency: IdempotencyFacts): TShape {
  return { ...shape, data: { idempotency, ...shape.data } };
}
