import { peek } from '../errors/peek.js';
import { type IdempotencyFacts, type Settlement, settlements } from './idempotency-facts.js';
import { isRefusal, type Refusal } from './same-key-again.js';

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
  for (const body of [error, peek(error, 'error'), peek(peek(error, 'error'), 'json')])
    for (const place of [peek(body, 'data'), peek(peek(body, 'shape'), 'data'), body, peek(body, 'cause')])
      yield peek(place, 'idempotency');
}

function asFacts(value: unknown): IdempotencyFacts | undefined {
  const refusal = peek(value, 'refusal');
  const settlement = peek(value, 'settlement');
  const key = peek(value, 'key');
  const retryAfterMs = peek(value, 'retryAfterMs');
  const rest = {
    ...(typeof key === 'string' && { key }),
    // A timer set to Infinity fires at once.
    ...(Number.isFinite(retryAfterMs) && Number(retryAfterMs) >= 0 && { retryAfterMs: Number(retryAfterMs) }),
  };
  // Both at once contradict each other, so neither can be believed.
  if (refusal !== undefined && settlement !== undefined) return undefined;
  if (isRefusal(refusal)) return { ...rest, refusal };
  if (settlements.includes(settlement as Settlement))
    return { ...rest, settlement: settlement as Settlement };
  return undefined;
}
