import {
  type AnyTRPCRootTypes,
  type inferProcedureBuilderResolverOptions,
  initTRPC,
  type TRPCBuiltRouter,
  type TRPCProcedureBuilder,
  type TRPCRootConfig,
} from '@trpc/server';
import {
  type AnyContract,
  type AnyProcedure,
  type ContractTypeError,
  type IsTransformed,
  type OnceErrorShape,
  proceduresOf,
  type RecordOf,
  transformerOf,
} from '@trpc-once/contract';
import { DeclaredError, errorFactories, validated } from './errors/declared-error.js';
import { isTold, ownError } from './errors/error-facts.js';
import { onceErrorFormatter } from './errors/error-formatter.js';
import { formattingMiddleware } from './errors/formatting-middleware.js';
import { type AnyHandler, type Handlers, pairHandlers } from './handlers.js';
import { type KeyedProcedure, type OnceRuntime, onceMiddleware, requireKey } from './once-middleware.js';
import { outcomeCodec } from './outcomes/outcome-codec.js';

/** Any procedure builder of `initTRPC`, with whatever middlewares it has. */
export type AnyBase = TRPCProcedureBuilder<any, any, any, any, any, any, any, false, any>;

/** The context that a base's handlers see, after its middlewares. */
export type ContextOf<TBase extends AnyBase> = inferProcedureBuilderResolverOptions<TBase>['ctx'];

type RootContextOf<TBase> =
  TBase extends TRPCProcedureBuilder<infer TContext, any, any, any, any, any, any, any, any> ? TContext : any;

export interface ImplementOptions<TBase extends AnyBase> {
  /**
   * The app's own base, with its authentication and rate limits. Its middlewares run before the claim, and again on
   * every replay: who may no longer see an outcome is not shown it.
   */
  readonly procedure: TBase;
}

/** A true tRPC router, typed by its contract. */
export type ImplementedRouter<TContract extends AnyContract, TBase extends AnyBase> = TRPCBuiltRouter<
  {
    ctx: RootContextOf<TBase>;
    meta: object;
    errorShape: OnceErrorShape;
    transformer: IsTransformed<TContract>;
  },
  RecordOf<TContract>
>;

/** `once.implement`: see {@link Once.implement}. */
export type Implement<TScopeContext, TTransaction> = <TContract extends AnyContract, TBase extends AnyBase>(
  contract: TContract,
  options: ImplementOptions<TBase> &
    (ContextOf<TBase> extends TScopeContext
      ? unknown
      : { procedure: ContractTypeError<'The context of this procedure lacks what scope() reads'> }),
  handlers: Handlers<TContract, ContextOf<TBase>, TTransaction>,
) => ImplementedRouter<TContract, TBase>;

/**
 * The handler's own options, carried through the context under a name that no app uses. The context as it was is among
 * them: tRPC spreads what a middleware extends, and an instance of a class would come out without its methods.
 */
const handed: unique symbol = Symbol('@trpc-once/server/handed') as never;

export function implementer<TTransaction>(runtime: OnceRuntime<TTransaction>, maxOutcomeLength: number) {
  return (contract: AnyContract & object, options: ImplementOptions<AnyBase>, handlers: object) => {
    const base = options?.procedure;
    const config = rootConfigOf(base);
    requireSameTransformer(contract, config);
    const root = initTRPC.create(config as object) as any;
    const pairs = pairHandlers(proceduresOf(contract), handlers);
    const built: Record<string, unknown> = {};
    for (const [procedure, handler] of pairs) {
      const errors = errorFactories(procedure.errors);
      const keyed = !!procedure.idempotent;
      const format = onceErrorFormatter(config.errorFormatter, { keyed, errors: procedure.errors });
      let builder = root.procedure.use(formattingMiddleware(base, format)).use(ownErrors);
      if (keyed) builder = builder.use(keyFirst);
      builder = builder.concat(base);
      if (procedure.input) builder = builder.input(procedure.input);
      if (keyed)
        builder = builder.use(
          onceMiddleware(runtime, keyedProcedure<TTransaction>(procedure, config, maxOutcomeLength)),
        );
      if (procedure.output) builder = builder.output(procedure.output);
      place(built, procedure.path, builder[procedure.kind](resolver(procedure, handler, errors)));
    }
    return root.router(built);
  };
}

/** What a middleware of the app passes on from a call that it made itself has that call's shape already. */
const ownErrors = async ({ next }: { next(): Promise<any> }): Promise<unknown> => {
  const result = await next();
  return result.ok || !isTold(result.error) ? result : { ...result, error: ownError(result.error) };
};

/** Cheap, and the caller's to mend: said before the app's middlewares have done any work. */
const keyFirst = ({ ctx, next }: { ctx: unknown; next(): unknown }): unknown => {
  requireKey(ctx);
  return next();
};

function keyedProcedure<TTransaction>(
  procedure: AnyProcedure,
  config: TRPCRootConfig<AnyTRPCRootTypes>,
  maxLength: number,
): KeyedProcedure<TTransaction> {
  const policy = procedure.idempotent;
  if (!policy) throw new TypeError(`"${procedure.path}" is not idempotent`);
  return {
    policy,
    errors: procedure.errors,
    codec: outcomeCodec({ transformer: config.transformer.output, maxLength, errors: procedure.errors }),
    extend: (call, ctx) => ({ [handed]: { ...call, ctx } }),
  };
}

function resolver(procedure: AnyProcedure, handler: AnyHandler, errors: object) {
  return async ({
    ctx,
    input,
    path,
    signal,
  }: {
    ctx: any;
    input: unknown;
    path: string;
    signal: unknown;
  }) => {
    if (procedure.idempotent) return handler({ input, path, errors, ...ctx[handed] });
    try {
      return await handler({ ctx, input, path, errors, signal });
    } catch (error) {
      const declared = error instanceof DeclaredError && error.declaredBy === procedure.errors;
      throw declared ? await validated(error) : error;
    }
  };
}

function place(into: Record<string, unknown>, path: string, procedure: unknown): void {
  const names = path.split('.');
  const last = names.pop() as string;
  let at = into;
  for (const name of names) {
    // A group may be called `constructor`, which every object has already.
    if (!Object.hasOwn(at, name)) at[name] = {};
    at = at[name] as Record<string, unknown>;
  }
  at[last] = procedure;
}

function rootConfigOf(base: AnyBase): TRPCRootConfig<AnyTRPCRootTypes> {
  if (typeof base?._def !== 'object')
    throw new TypeError('call implement(contract, { procedure: t.procedure }, handlers)');
  const config = (base._def as { config?: TRPCRootConfig<AnyTRPCRootTypes> }).config;
  if (!config)
    throw new TypeError('implement() needs a procedure made by initTRPC of @trpc/server 11.25 or newer');
  return config;
}

/** Both sides of the wire must agree, and only here do they meet before something is sent. */
function requireSameTransformer(contract: AnyContract, config: TRPCRootConfig<AnyTRPCRootTypes>): void {
  const own = config.transformer.output.serialize;
  const transformer = transformerOf(contract);
  const agreed = transformer && ('output' in transformer ? transformer.output : transformer).serialize;
  // tRPC's default hands every value back as it is; the app's copy of tRPC may not be ours, so it is not compared with that.
  const none = [{}, new Date(0), new Map(), undefined].every((value) => own(value) === value);
  if (agreed ? agreed !== own : !none)
    throw new TypeError(
      agreed
        ? 'the contract names a transformer that initTRPC.create() was not given: pass the same one there'
        : 'initTRPC.create() has a transformer that the contract does not name: pass the same one to defineContract(tree, { transformer })',
    );
}
