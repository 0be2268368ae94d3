import { initTRPC, type TRPCMiddlewareBuilder } from '@trpc/server';
import { type DeclaredErrors, type IdempotentOptions, idempotentPolicy } from '@trpc-once/contract';
import { type ErrorFactories, errorFactories } from './errors/declared-error.js';
import { onceErrorFormatter, type RootFormatter } from './errors/error-formatter.js';
import { type OnceRuntime, onceMiddleware } from './once-middleware.js';
import { type OutputTransformer, outcomeCodec } from './outcomes/outcome-codec.js';
import type { ReplayedHeaders } from './outcomes/replayed-headers.js';

export interface IdempotentMiddlewareOptions<TErrors extends DeclaredErrors = DeclaredErrors>
  extends Pick<IdempotentOptions, 'retentionMs' | 'leaseMs'> {
  /** Business errors that settle and replay; made with `ctx.errors` and thrown. @default none */
  readonly errors?: TErrors;
}

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
  options?: IdempotentMiddlewareOptions<TErrors>,
) => TRPCMiddlewareBuilder<any, any, IdempotentContext<TTransaction, TErrors>, any>;

export interface IdempotentSettings {
  readonly maxOutcomeLength: number;
  readonly transformer: OutputTransformer | undefined;
  readonly errorFormatter: RootFormatter | undefined;
}

export function idempotentMiddleware<TTransaction>(
  runtime: OnceRuntime<TTransaction>,
  settings: IdempotentSettings,
) {
  // Whether the app is in development is not known here; production must not show a stack for that.
  const root = initTRPC.create({ isDev: false }).procedure;
  return ({ errors = {}, ...policy }: IdempotentMiddlewareOptions = {}) => {
    const factories = errorFactories(errors);
    const formatting = root.errors(
      onceErrorFormatter(settings.errorFormatter, { keyed: true, errors }) as never,
    );
    return {
      _middlewares: [
        ...formatting._def.middlewares,
        onceMiddleware(runtime, {
          policy: idempotentPolicy(policy),
          errors,
          codec: outcomeCodec({
            transformer: settings.transformer,
            maxLength: settings.maxOutcomeLength,
            errors,
          }),
          extend: ({ tx, key, headers }) => ({
            tx,
            idempotencyKey: key,
            replayedHeaders: headers,
            errors: factories,
          }),
        }),
      ],
      unstable_pipe: undefined,
    };
  };
}
