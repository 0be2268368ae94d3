import { TRPCClientError } from '@trpc/client';

/** An error of the server, as tRPC's own links give it, that knows its operation's key. */
export type ServerError = TRPCClientError<any>;

export function serverError(
  shape: { readonly code: number; readonly message: string; readonly data?: unknown },
  key: string,
): ServerError {
  return TRPCClientError.from({ error: shape }, { meta: { idempotencyKey: key } });
}
