import { expectTypeOf, test } from 'vitest';
import type { IdempotencyFacts } from './idempotency-facts.js';
import { readIdempotency, readRefusal } from './read-idempotency.js';
import { refusals } from './refusals.js';
import { isRefusal, type Refusal } from './same-key-again.js';

test('facts hold a refusal or a settlement, never both and never neither', () => {
  const refused: IdempotencyFacts = { refusal: 'IN_PROGRESS', retryAfterMs: 100, key: 'k' };
  const settled: IdempotencyFacts = { settlement: 'replayed' };
  // @ts-expect-error both
  const both: IdempotencyFacts = { refusal: 'IN_PROGRESS', settlement: 'settled' };
  // @ts-expect-error neither
  const neither: IdempotencyFacts = { key: 'k' };
  // @ts-expect-error no such refusal
  const unknown: IdempotencyFacts = { refusal: 'TOO_LATE' };
  return [refused, settled, both, neither, unknown];
});

test('a switch over refusals can be exhaustive', () => {
  const refusal = readRefusal(undefined);
  expectTypeOf(refusal).toEqualTypeOf<Refusal | undefined>();
  expectTypeOf<Refusal>().toEqualTypeOf<keyof typeof refusals>();
  // @ts-expect-error misspelt
  if (refusal === 'INPROGRESS') return;
  const facts = readIdempotency(undefined);
  if (facts?.refusal === undefined) expectTypeOf(facts?.refusal).toEqualTypeOf<undefined>();
});

test('a name is narrowed to a refusal', () => {
  const name: unknown = 'IN_PROGRESS';
  if (isRefusal(name))
    expectTypeOf(refusals[name].httpStatus).toEqualTypeOf<400 | 401 | 409 | 412 | 422 | 503>();
});
