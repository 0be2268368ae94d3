import type { AnyProcedure, ErrorsOf, IsIdempotent, ParsedInputOf, RawOutputOf } from '@trpc-once/contract';
import { nearestName } from '@trpc-once/contract';
import type { ErrorFactories } from './errors/declared-error.js';
import type { ReplayedHeaders } from './outcomes/replayed-headers.js';

/** What every handler gets. */
export interface HandlerOptions<TProcedure extends AnyProcedure, TContext> {
  /** Do not change it: a handler whose transaction lost against others runs again with the same one. */
  readonly input: ParsedInputOf<TProcedure>;
  readonly ctx: TContext;
  /** Makes the procedure's declared errors: `throw errors.OUT_OF_STOCK({ sku })`. */
  readonly errors: ErrorFactories<ErrorsOf<TProcedure>>;
  /** Dotted, as in `orders.place`. */
  readonly path: string;
}

/** What the handler of an idempotent procedure gets besides. */
export interface IdempotentHandlerOptions<TProcedure extends AnyProcedure, TContext, TTransaction>
  extends HandlerOptions<TProcedure, TContext> {
  /**
   * The transaction in which the outcome settles. What is written through it happens if and only if the outcome does;
   * what is written elsewhere may happen twice.
   */
  readonly tx: TTransaction;
  /** Response headers that are stored and replayed with the outcome: `headers.set('Location', …)`. */
  readonly headers: ReplayedHeaders;
  /** The operation's key, for logs, and to derive the keys of others from. */
  readonly key: string;
}

/** What the handler of any other procedure gets besides. */
export interface PlainHandlerOptions<TProcedure extends AnyProcedure, TContext>
  extends HandlerOptions<TProcedure, TContext> {
  /**
   * Aborts when the client goes away. Idempotent handlers have none: they finish and settle all the same.
   */
  readonly signal: AbortSignal | undefined;
}

/** The handler of one procedure. */
export type Handler<TProcedure extends AnyProcedure, TContext, TTransaction> = (
  options: IsIdempotent<TProcedure> extends true
    ? IdempotentHandlerOptions<TProcedure, TContext, TTransaction>
    : PlainHandlerOptions<TProcedure, TContext>,
) => RawOutputOf<TProcedure> | Promise<RawOutputOf<TProcedure>>;

/** One handler for each procedure of a contract, in the contract's own shape. */
export type Handlers<TTree, TContext, TTransaction> = {
  readonly [K in keyof TTree as K extends string ? K : never]: TTree[K] extends AnyProcedure
    ? Handler<TTree[K], TContext, TTransaction>
    : Handlers<TTree[K], TContext, TTransaction>;
};

/** Any handler, once its types have been checked. */
export type AnyHandler = (options: any) => unknown;

/**
 * Pairs each procedure with its handler.
 * @throws TypeError naming every handler that is missing or no function, and every one that the contract knows nothing of,
 * with the procedure that was likely meant.
 */
export function pairHandlers(
  procedures: ReadonlyMap<string, AnyProcedure>,
  handlers: object,
): Map<AnyProcedure, AnyHandler> {
  if (typeof handlers !== 'object' || handlers === null)
    throw new TypeError(
      'implement(contract, { procedure }, handlers) needs the handlers, as its third: an object in the shape of the contract',
    );
  const given = new Map(flatten(handlers, []));
  const missing = [...procedures.keys()].filter((path) => typeof given.get(path) !== 'function');
  const extra = [...given.keys()].filter((path) => !procedures.has(path));
  if (missing.length > 0 || extra.length > 0)
    throw new TypeError(
      [
        missing.length > 0 && `no handler for ${missing.join(', ')}`,
        extra.length > 0 &&
          `the contract has no ${extra.map((path) => withNearest(path, missing)).join(', ')}`,
      ]
        .filter(Boolean)
        .join('; '),
    );
  return new Map([...procedures].map(([path, procedure]) => [procedure, given.get(path) as AnyHandler]));
}

/** Only among those that are missing is it a slip. */
function withNearest(path: string, missing: readonly string[]): string {
  const meant = nearestName(path, missing);
  return meant === undefined ? path : `${path} (did you mean ${meant}?)`;
}

function* flatten(node: object, at: readonly string[]): Generator<[path: string, handler: AnyHandler]> {
  for (const [name, child] of Object.entries(node)) {
    if (typeof child === 'object' && child !== null) yield* flatten(child, [...at, name]);
    else yield [[...at, name].join('.'), child as AnyHandler];
  }
}
