import type { ParsedKey, Settlement } from '@trpc-once/contract';

/** What a request said about its operation, and what its answer will say. One per HTTP request. */
export interface WireContext {
  readonly key: ParsedKey;
  /** Since the key was first sent, by the sender's clock; undefined where it did not say. */
  readonly ageMs: number | undefined;
  /** What is wrong with the key, for its sender, where it is malformed. */
  readonly why?: string;
  /** Calls in the request: more than one cannot share a key. */
  readonly calls: number;
  /** Whether the request certainly has no body: its input is `undefined`, and no JSON that tRPC below 11.25 could read. */
  readonly bodiless?: boolean;
  /** Whether it is a WebSocket's, which carries many calls. */
  readonly socket?: boolean;
  /** Whether an adapter of tRPC's answers it, which asks for the headers of the answer. */
  readonly byAdapter?: boolean;
  /** The middlewares of the procedure that is called, in their order; unknown on the server itself and in batches. */
  readonly middlewares?: readonly unknown[];
  /** Set when the adapter asked for the headers of the answer. */
  headersAsked?: boolean;
  /** Set when the request's operation was answered with an outcome. */
  settlement?: Settlement;
  /** Set when it was answered with an error from behind the claim: that one. */
  failed?: Error;
  /** The outcome's own headers, first or replayed. */
  headers?: Readonly<Record<string, string>>;
}

/** Enumerable and a symbol, so that it survives the spreads by which tRPC's middlewares extend a context. */
const wire: unique symbol = Symbol.for('@trpc-once/server/wire') as never;

/**
 * Puts the wire's facts on a context. A plain object is copied, because an app may hand the same one to every request;
 * an instance of a class cannot be, so it is marked in place and must be made anew per request.
 *
 * @throws TypeError when an instance comes a second time.
 */
export function withWire<TContext extends object>(context: TContext, facts: WireContext): TContext {
  const prototype = Object.getPrototypeOf(context);
  if (prototype === Object.prototype || prototype === null) return { ...context, [wire]: facts };
  if (wire in context)
    throw new TypeError(
      'createContext must make a new context for each request: this one has served another',
    );
  Object.defineProperty(context, wire, { value: facts, enumerable: true });
  return context;
}

/**
 * A context that may be marked without marking the one it is made of: with its accessors, and with the methods of its
 * class. Only private fields (`#name`) stay behind, since no copy can have them; their methods say so when they are called.
 */
export function copied<TContext extends object>(context: TContext): TContext {
  const { [wire]: _, ...own } = Object.getOwnPropertyDescriptors(context ?? {}) as PropertyDescriptorMap & {
    [wire]?: PropertyDescriptor;
  };
  return Object.create(Object.getPrototypeOf(context ?? {}), own);
}

export function wireOf(context: unknown): WireContext | undefined {
  return typeof context === 'object' && context !== null
    ? (context as { [wire]?: WireContext })[wire]
    : undefined;
}
