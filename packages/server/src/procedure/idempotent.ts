import { TRPCError, type TRPCMiddlewareBuilder } from '@trpc/server';
import { type DeclaredErrors, type IdempotentOptions, idempotentPolicy } from '@trpc-once/contract';
import { requireKnown } from '../options/require-known.js';
import { type AppMiddleware, askFormatter, isFormatter } from './errors/app-formatters.js';
import { type ErrorFactories, errorFactories } from './errors/declared-error.js';
import { factsToTell, onceErrorFormatter, type RootFormatter } from './errors/error-formatter.js';
import { formattingMiddleware } from './errors/formatting-middleware.js';
import { guardsIn, noteGuard, twice } from './idempotent-twice.js';
import { type MiddlewareOptions, type OnceRuntime, onceMiddleware } from './once-middleware.js';
import { type OutputTransformer, outcomeCodec } from './outcomes/outcome-codec.js';
import type { ReplayedHeaders } from './outcomes/replayed-headers.js';
import { withOwnRunTimeout } from './own-run-timeout.js';
import { wireOf } from './wire/wire-context.js';

/** What `initTRPC.create()` gives, as far as it is looked at here. */
export interface TrpcRoot {
  readonly _config: {
    readonly transformer: { readonly output: OutputTransformer };
    readonly errorFormatter: RootFormatter;
    readonly isDev: boolean;
  };
  readonly procedure: object;
}

export interface IdempotentMiddlewareOptions<TErrors extends DeclaredErrors = DeclaredErrors>
  extends Pick<IdempotentOptions, 'retentionMs' | 'leaseMs'> {
  /**
   * What `initTRPC.create()` gave. Its transformer is the one that outcomes are stored with, and its error formatter the
   * one that errors go through; a middleware alone cannot find them.
   */
  readonly t: TrpcRoot;
  /** Business errors that settle and replay; made with `ctx.errors` and thrown. @default none */
  readonly errors?: TErrors;
  /**
   * How long this procedure's handler may run, in milliseconds, shorter or longer than the others'.
   * @default createOnce({ runTimeoutMs })
   */
  readonly runTimeoutMs?: number;
}

const known = {
  t: true,
  errors: true,
  retentionMs: true,
  leaseMs: true,
  runTimeoutMs: true,
} satisfies Record<keyof IdempotentMiddlewareOptions, true>;

/** What the middleware adds to a handler's `ctx`. */
export interface IdempotentContext<TTransaction, TErrors extends DeclaredErrors> {
  readonly tx: TTransaction;
  readonly idempotencyKey: string;
  /** Response headers that are stored and replayed with the outcome. */
  readonly replayedHeaders: ReplayedHeaders;
  readonly errors: ErrorFactories<TErrors>;
}

/** `once.idempotent`: see {@link Once.idempotent}. */
export type Idempotent<TTransaction> = <const TErrors extends DeclaredErrors = Record<never, never>>(
  options: IdempotentMiddlewareOptions<TErrors>,
) => TRPCMiddlewareBuilder<any, any, IdempotentContext<TTransaction, TErrors>, any>;

export function idempotentMiddleware<TTransaction>(
  runtime: OnceRuntime<TTransaction>,
  maxOutcomeLength: number,
) {
  return (options: IdempotentMiddlewareOptions) => {
    requireKnown('idempotent', options, known);
    const { t, errors = {}, runTimeoutMs, ...policy } = options ?? {};
    const config = (t as TrpcRoot | undefined)?._config;
    if (!config) throw new TypeError('once.idempotent({ t }) needs what initTRPC.create() gave, as `t`');
    const factories = errorFactories(errors);
    const formatted = { keyed: true, errors };
    const format = onceErrorFormatter(config.errorFormatter, formatted);
    const formatting = formattingMiddleware(t.procedure as never, format);
    const once = onceMiddleware(runtime, {
      policy: withOwnRunTimeout('idempotent({ runTimeoutMs })', idempotentPolicy(policy), runTimeoutMs),
      errors,
      codec: outcomeCodec({
        transformer: config.transformer.output,
        maxLength: maxOutcomeLength,
        errors,
      }),
      extend: ({ tx, key, headers }) => ({
        tx,
        idempotencyKey: key,
        replayedHeaders: headers,
        errors: factories,
      }),
    });
    const guarded = (call: GuardedCall): Promise<unknown> => {
      requirePlace(call, guarded, runtime);
      return once(call);
    };
    noteGuard(guarded);
    const asking = async (call: MiddlewareOptions): Promise<unknown> => {
      const result = await call.next();
      if (!result.ok && factsToTell(result.error, call.ctx, formatted))
        for (const formatter of formattersBefore(formatting, call))
          await askFormatter(formatter, call, result);
      return result;
    };
    return {
      _middlewares: [formatting, asking, guarded],
      unstable_pipe: undefined,
    };
  };
}

/**
 * The app's `.errors(format)` in front of ours, the nearest first, as tRPC would ask them. It would not: ours is nearer and
 * has a shape for all that it knows of. A caller on the server, where they are not known, gets errors and no shapes.
 */
function formattersBefore(ours: unknown, { ctx }: { readonly ctx: unknown }): AppMiddleware[] {
  const middlewares = wireOf(ctx)?.middlewares ?? [];
  return middlewares
    .slice(0, Math.max(0, middlewares.indexOf(ours)))
    .filter(isFormatter)
    .reverse();
}

type GuardedCall = MiddlewareOptions & { readonly type: string };

/**
 * What the types of a middleware cannot say: it belongs to a mutation, and behind `.output()` an output that is refused
 * would be refused after the commit, again and again.
 */
function requirePlace(
  { ctx, type, path }: GuardedCall,
  self: unknown,
  { onMiswired }: Pick<OnceRuntime<never>, 'onMiswired'>,
): void {
  const fault = (message: string): TRPCError => {
    onMiswired('place', message);
    return new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message });
  };
  if (type !== 'mutation') throw fault(`${path}: only a mutation can be idempotent, and this is a ${type}`);
  const middlewares = wireOf(ctx)?.middlewares ?? [];
  if (guardsIn(middlewares) > 1) throw fault(twice(path));
  const before = middlewares.slice(0, Math.max(0, middlewares.indexOf(self)));
  if (before.some((middleware) => (middleware as { _type?: unknown })._type === 'output'))
    throw fault(
      `${path}: put .use(once.idempotent({ t })) before .output(), so that an output is checked before it is committed`,
    );
}
