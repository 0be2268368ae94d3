import type { TRPCError } from '@trpc/server';

/**
 * Why an outcome failed, for whoever runs the server: the app's `onError`, its middlewares, its loggers and Sentry find what
 * the handler threw as `cause`, on the attempt that ran. A replay knows of none.
 *
 * Formatters are not shown it. An app's own may tell an error's cause (tRPC's documentation has one that tells zod's), and
 * then the first caller would be told what no replay can tell again.
 */
const withoutCause = new WeakMap<Error, TRPCError>();

/** @param error what is thrown. @param told the same, as it is told: with its stack, which tRPC tells where `isDev` is on. */
export function toldAs<TError extends TRPCError>(error: TError, told: TRPCError): TError {
  if (told.stack !== undefined) error.stack = told.stack;
  withoutCause.set(error, told);
  return error;
}

/** What a formatter may see of an error. */
export function asTold(error: TRPCError): TRPCError {
  return withoutCause.get(error) ?? error;
}
