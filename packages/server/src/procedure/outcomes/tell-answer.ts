import { getTRPCErrorFromUnknown, TRPCError } from '@trpc/server';
import type { IdempotencyFacts } from '@trpc-once/contract';
import type { Answer } from '../../execution/call.js';
import { withFacts } from '../errors/error-facts.js';
import { refusalError } from '../errors/refusal-error.js';
import type { OutcomeCodec } from './outcome-codec.js';

const RELEASED =
  'The database could not take this operation now and nothing of it was kept: send the same key again after Retry-After.';
const UNKNOWN =
  'Whether this operation took effect is not known yet: send the same key again after Retry-After to find out.';

/**
 * Says an answer in tRPC's words.
 * @returns the output of a completed outcome.
 * @throws TRPCError for everything else, with the facts attached.
 */
export function tellAnswer(answer: Answer, codec: OutcomeCodec, key: string): unknown {
  switch (answer.kind) {
    case 'settled':
    case 'replayed': {
      const told = codec.read(answer.outcome);
      if ('output' in told) return told.output;
      throw withFacts(told.error, { key, settlement: answer.kind });
    }
    case 'refused':
      throw refusalError(answer.refusal, { key, retryAfterMs: answer.retryAfterMs });
    case 'released':
      throw released(answer, key);
    case 'unknown':
      throw storeError(UNKNOWN, undefined, {
        key,
        settlement: 'unknown',
        retryAfterMs: answer.retryAfterMs,
      });
  }
}

function released({ error, retryAfterMs }: Extract<Answer, { kind: 'released' }>, key: string): TRPCError {
  return retryAfterMs === undefined
    ? withFacts(getTRPCErrorFromUnknown(error), { key, settlement: 'released' })
    : storeError(RELEASED, error, { key, settlement: 'released', retryAfterMs });
}

function storeError(message: string, cause: unknown, facts: IdempotencyFacts): TRPCError {
  return withFacts(new TRPCError({ code: 'SERVICE_UNAVAILABLE', message, cause }), facts);
}
