import { TRPCError } from '@trpc/server';
import { type Refusal, refusals } from '@trpc-once/contract';
import { withFacts } from './error-facts.js';

/** Makes the error of a refusal, as the one table has it. */
export function refusalError(
  refusal: Refusal,
  { key, retryAfterMs }: { key?: string | undefined; retryAfterMs?: number | undefined } = {},
): TRPCError {
  const { code, message } = refusals[refusal];
  return withFacts(new TRPCError({ code, message }), {
    refusal,
    ...(key !== undefined && { key }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}
