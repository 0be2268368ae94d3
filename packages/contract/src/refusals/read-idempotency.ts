import { type IdempotencyFacts, type Settlement, settlements } from './idempotency-facts.js';
import { isRefusal, type Refusal } from './refusals.js';

/**
 * Reads what an error says of idempotency, whatever it came through: a `TRPCClientError`, a server's `TRPCError`, or the
 * parsed JSON of an answer, with or without superjson. It goes by shape alone, never by class or message, and takes
 * nothing for a fact that is not spelled exactly: an unknown refusal of a newer server reads as `undefined`.
 *
 * @example
 * ```ts
 * const facts = readIdempotency(error);
 * if (facts?.refusal === 'IN_PROGRESS') await delay(facts.retryAfterMs ?? 1_000);
 * ```
 */
export function readIdempotency(error: unknown): IdempotencyFacts | undefined {
  for (const candidate of candidates(error)) {
    const facts = asFacts(candidate);
    if (facts) return facts;
  }
  return undefined;
}

/** The refusal that an error carries, if it is one. */
export function readRefusal(error: unknown): Refusal | undefined {
  return readIdempotency(error)?.refusal;
}

function* candidates(error: unknown): Generator<unknown> {
  // An error, its body as JSON, and the body inside a superjson envelope.
  for (const body of [error, get(error, 'error'), get(get(error, 'error'), 'json')]) {
    yield get(get(body, 'data'), 'idempotency');
    yield get(get(get(body, 'shape'), 'data'), 'idempotency');
    yield get(body, 'idempotency');
    yield get(get(body, 'cause'), 'idempotency');
  }
}

function asFacts(value: unknown): IdempotencyFacts | undefined {
  const refusal = get(value, 'refusal');
  const settlement = get(value, 'settlement');
  const key = get(value, 'key');
  const retryAfterMs = get(value, 'retryAfterMs');
  const rest = {
    ...(typeof key === 'string' && { key }),
    ...(typeof retryAfterMs === 'number' && retryAfterMs >= 0 && { retryAfterMs }),
  };
  if (isRefusal(refusal)) return { ...rest, refusal };
  if (settlements.includes(settlement as Settlement))
    return { ...rest, settlement: settlement as Settlement };
  return undefined;
}

function get(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
