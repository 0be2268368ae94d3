import { initTRPC, type TRPCBuiltRouter, type TRPCError, type TRPCProcedureBuilder } from '@trpc/server';
import type {
  AnyContract,
  AnyProcedure,
  ContractTypeError,
  IsTransformed,
  OnceErrorShape,
  RecordOf,
} from '@trpc-once/contract';
import { type CheckedArguments, checkedArguments } from './checked-arguments.js';
import { type AppMiddleware, withoutLastWord } from './errors/app-formatters.js';
import { DeclaredError, errorFactories, validated } from './errors/declared-error.js';
import { isTold, ownError } from './errors/error-facts.js';
import { type FormattedProcedure, factsToTell, onceErrorFormatter } from './errors/error-formatter.js';
import { formattingMiddleware } from './errors/formatting-middleware.js';
import { type AnyHandler, type Handlers, pairHandlers } from './handlers.js';
import { guardsIn, TWICE_IN_BASE } from './idempotent-twice.js';
import type { AnyBase, ContextOf, ImplementOptions } from './implement-options.js';
import { type KeyedProcedure, type OnceRuntime, onceMiddleware, requireKey } from './once-middleware.js';
import { outcomeCodec } from './outcomes/outcome-codec.js';
import { withOwnRunTimeout } from './own-run-timeout.js';

type RootContextOf<TBase> =
  TBase extends TRPCProcedureBuilder<infer TContext, any, any, any, any, any, any, any, any> ? TContext : any;

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
  options: ImplementOptions<TBase, TContract> &
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
    const { procedures, base, config, runTimeouts } = checkedArguments(contract, options);
    requireBaseWithout(base, runtime);
    const root = initTRPC.create(config as object) as any;
    const pairs = pairHandlers(procedures, handlers);
    const built: Record<string, unknown> = {};
    for (const [procedure, handler] of pairs) {
      const errors = errorFactories(procedure.errors);
      const keyed = !!procedure.idempotent;
      const formatted = { keyed, errors: procedure.errors };
      const format = onceErrorFormatter(config.errorFormatter, formatted);
      let builder = root.procedure.use(formattingMiddleware(base, format)).use(ownErrors);
      if (keyed) builder = builder.use(keyFirst(runtime));
      builder = builder.concat(withFactsIn(base, formatted));
      if (procedure.input) builder = builder.input(procedure.input);
      if (keyed)
        builder = builder.use(
          onceMiddleware(
            runtime,
            keyedProcedure<TTransaction>(procedure, { config, maxOutcomeLength, runTimeouts }),
          ),
        );
      if (procedure.output) builder = builder.output(procedure.output);
      place(built, procedure.path, builder[procedure.kind](resolver(procedure, handler, errors)));
    }
    return root.router(built);
  };
}

/** @throws TypeError when the base is idempotent already. */
function requireBaseWithout(base: AnyBase, { onMiswired }: Pick<OnceRuntime<never>, 'onMiswired'>): void {
  const { middlewares = [] } = base._def as { middlewares?: readonly unknown[] };
  if (guardsIn(middlewares) === 0) return;
  onMiswired('place', TWICE_IN_BASE);
  throw new TypeError(TWICE_IN_BASE);
}

/** The app's base, whose own formatters leave room for what this library knows. */
function withFactsIn(base: AnyBase, procedure: FormattedProcedure): { readonly _def: object } {
  const { middlewares = [], ...def } = base._def as { middlewares?: readonly AppMiddleware[] };
  const hasFacts = (error: TRPCError, ctx: unknown): boolean => !!factsToTell(error, ctx, procedure);
  return {
    _def: { ...def, middlewares: middlewares.map((middleware) => withoutLastWord(middleware, hasFacts)) },
  };
}

/** What a middleware of the app passes on from a call that it made itself has that call's shape already. */
const ownErrors = async ({ next }: { next(): Promise<any> }): Promise<unknown> => {
  const result = await next();
  return result.ok || !isTold(result.error) ? result : { ...result, error: ownError(result.error) };
};

/** Cheap, and the caller's to mend: said before the app's middlewares have done any work. */
const keyFirst =
  (runtime: Pick<OnceRuntime<never>, 'onMiswired'>) =>
  ({ ctx, next }: { ctx: unknown; next(): unknown }): unknown => {
    requireKey(ctx, runtime);
    return next();
  };

interface Surroundings extends Pick<CheckedArguments, 'config' | 'runTimeouts'> {
  readonly maxOutcomeLength: number;
}

function keyedProcedure<TTransaction>(
  procedure: AnyProcedure,
  { config, maxOutcomeLength: maxLength, runTimeouts }: Surroundings,
): KeyedProcedure<TTransaction> {
  const policy = procedure.idempotent;
  if (!policy) throw new TypeError(`"${procedure.path}" is not idempotent`);
  const { path } = procedure;
  const ownLimit = Object.hasOwn(runTimeouts, path) ? runTimeouts[path] : undefined;
  return {
    policy: withOwnRunTimeout(`implement({ runTimeoutMs: { '${path}' } })`, policy, ownLimit),
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
