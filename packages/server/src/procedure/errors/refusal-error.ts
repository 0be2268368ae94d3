import { TRPCError } from '@trpc/server';
import { type Refusal, refusals } from '@trpc-once/contract';
import { withFacts } from './error-facts.js';

export interface RefusalDetails {
  readonly key?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** What this one's message says besides. */
  readonly why?: string | undefined;
  /** For the server's own `onError`; tRPC does not tell it. */
  readonly cause?: unknown;
}

/** Makes the error of a refusal, as the one table has it. */
export function refusalError(
  refusal: Refusal,
  { key, retryAfterMs, why, cause }: RefusalDetails = {},
): TRPCError {
  const { code, message } = refusals[refusal];
  return withFacts(
    new TRPCError({ code, message: why === undefined ? message : `${message} Here, ${why}.`, cause }),
    {
      refusal,
      ...(key !== undefined && { key }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  );
}
