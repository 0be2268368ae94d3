import type { onceErrorFormatter } from './error-formatter.js';

/** A procedure builder of the app's: `t.procedure`, or its base. */
interface Builder {
  errors?(format: never): { readonly _def: { readonly middlewares: readonly unknown[] } };
}

/**
 * The middleware that formats errors, made by the app's copy of @trpc/server and not by ours. tRPC leaves an error's shape
 * under a symbol that each copy has for itself, and an app with two of them (a peer dependency in two versions is enough)
 * would answer errors without their facts: a client would take IN_PROGRESS for the outcome.
 *
 * @throws TypeError when that copy is older than `.errors()`.
 */
export function formattingMiddleware(builder: Builder, format: ReturnType<typeof onceErrorFormatter>): never {
  if (typeof builder?.errors !== 'function')
    throw new TypeError('this needs a procedure made by initTRPC of @trpc/server 11.22.1 or newer');
  return builder.errors(format as never)._def.middlewares.at(-1) as never;
}
