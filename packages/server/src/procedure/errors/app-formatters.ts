import type { TRPCError } from '@trpc/server';
import { asTold } from './original-error.js';

/** What of a middleware is looked at here: tRPC marks those that `.errors(format)` adds. */
export interface AppMiddleware {
  (call: never): Promise<unknown>;
  readonly _type?: string;
}

interface Call {
  readonly ctx: unknown;
  next(): Promise<any>;
}

interface Failed {
  readonly ok: false;
  readonly error: TRPCError;
}

/** Whether something is to be told of an error besides its shape. */
type HasFacts = (error: TRPCError, ctx: unknown) => boolean;

/** The shapes that the app's own formatters gave, until ours tells them with the facts. */
const shapes = new WeakMap<Error, object>();

/** The shape that one of the app's procedure-level formatters gave this error. */
export function shapeByApp(error: Error): object | undefined {
  return shapes.get(error);
}

export function isFormatter(middleware: unknown): middleware is AppMiddleware {
  return (middleware as AppMiddleware | undefined)?._type === 'errors';
}

/**
 * The app's `.errors(format)` as tRPC made it, kept from having the last word. tRPC tells the first shape that an error gets,
 * and one from a formatter that stands behind ours would go out without the facts: a bare 409 reads as the outcome, though it
 * may say that the operation is running. So the formatter is asked, what it says is kept, and ours adds the facts to it.
 *
 * Errors without facts are none of our business and left to it as they are.
 */
export function withoutLastWord(middleware: AppMiddleware, hasFacts: HasFacts): AppMiddleware {
  if (!isFormatter(middleware)) return middleware;
  const asked = async (call: Call): Promise<unknown> => {
    const result = await call.next();
    if (result.ok || !hasFacts(result.error, call.ctx))
      return middleware({ ...call, next: async () => result } as never);
    await askFormatter(middleware, call, result);
    return result;
  };
  return Object.assign(asked, { _type: 'errors' });
}

/**
 * Keeps what the app's formatter says of an error, unless another has spoken. It is shown the error as it is told: what an
 * outcome was caused by is known to its first caller's server only, and no replay could say it again.
 */
export async function askFormatter(middleware: AppMiddleware, call: object, result: Failed): Promise<void> {
  const { error } = result;
  if (shapes.has(error)) return;
  const seen = asTold(error);
  const before = new Set(Object.getOwnPropertySymbols(seen));
  await middleware({ ...call, next: async () => ({ ...result, error: seen }) } as never);
  // tRPC leaves the shape on the error, under a symbol that each copy of it has for itself. Should a version of it keep shapes
  // elsewhere, none is found, and `responseMeta` adds what is missing.
  const left = seen as unknown as Record<symbol, unknown>;
  for (const symbol of Object.getOwnPropertySymbols(seen)) {
    if (before.has(symbol)) continue;
    const shape = left[symbol];
    delete left[symbol];
    if (typeof shape === 'object' && shape !== null) shapes.set(error, shape);
  }
}
