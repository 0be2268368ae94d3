import { isIdempotencyKey } from '@trpc-once/contract';
import { claimsOfSpace } from '../claims/claims-of-space.js';
import { guardedClaims, noClaims } from '../claims/guarded-claims.js';
import { defaultLog } from '../events/default-log.js';
import { eventCall, type Miswiring, quiet } from '../events/once-event.js';
import { Executor } from '../execution/executor.js';
import { withFaultPoints } from '../execution/fault-points.js';
import { Gate } from '../execution/gate.js';
import { WaitForOutcome } from '../execution/wait-for-outcome.js';
import { fingerprinter } from '../fingerprint/fingerprint.js';
import { type Sweeper, sweeper } from '../sweeper/sweeper.js';
import { within } from '../timing/within.js';
import { type Idempotent, idempotentMiddleware } from './idempotent.js';
import { type Implement, implementer } from './implement.js';
import type { OnceRuntime } from './once-middleware.js';
import { type OnceOptions, requireOptions } from './once-options.js';
import { finalByDefault } from './outcomes/final-by-default.js';
import { allowedHeaders, defaultReplayedHeaders } from './outcomes/replayed-headers.js';
import { headersWatch } from './wire/headers-watch.js';
import { readRequest } from './wire/read-request.js';
import { responseMeta } from './wire/response-meta.js';
import { copied, withWire } from './wire/wire-context.js';

/** What {@link createOnce} gives. */
export interface Once<TContext, TTransaction> {
  /**
   * Builds the tRPC router of a contract. Missing, extra and wrongly typed handlers do not compile.
   * @throws TypeError when the handlers do not match the contract, or the transformers differ.
   * @example
   * ```ts
   * const router = once.implement(shop, { procedure: authed }, {
   *   orders: { place: async ({ input, tx, errors }) => placeOrder(tx, input, errors) },
   * });
   * ```
   */
  readonly implement: Implement<TContext, TTransaction>;
  /**
   * The same for a tRPC procedure without a contract: `t.procedure.input(I).use(once.idempotent({ t })).output(O).mutation(…)`.
   * Put it after `.input()` and before `.output()`. Middlewares behind it are part of the handler: they run inside the
   * transaction, and one that calls `next()` twice writes twice. Those in front run outside it, and may. Handlers find
   * `tx`, `errors` and `idempotencyKey` on their `ctx`.
   */
  readonly idempotent: Idempotent<TTransaction>;
  /**
   * Wraps an adapter's `createContext`, so that contexts carry the request's key. Works with every adapter.
   * @example createHTTPServer({ router, createContext: once.context(createContext), responseMeta: once.responseMeta })
   */
  context<TOptions extends object, TRequestContext extends object = object>(
    createContext?: (options: TOptions) => TRequestContext | Promise<TRequestContext>,
  ): (options: TOptions) => Promise<TRequestContext>;
  /**
   * Puts a key on a copy of a context by hand, for `createCaller`. An instance keeps its class; `#private` fields cannot be
   * copied, so hand over a context without them. @throws TypeError when it is not a key.
   */
  withKey<TRequestContext extends object>(context: TRequestContext, key: string): TRequestContext;
  /** An adapter's `responseMeta`: the idempotency headers of an answer. */
  readonly responseMeta: typeof responseMeta;
  /** Deletes expired records; `start()` it in any or all instances. */
  readonly sweeper: Sweeper;
  /** Creates or updates the records table. Call it before serving; instances may do so all at once. */
  migrate(): Promise<void>;
  /**
   * Refuses new calls with 503, waits for those that run, tells the claim store what is left to tell, and stops; all of it
   * for at most `closeTimeoutMs`. What it left then is told as `left-behind`.
   */
  close(): Promise<void>;
}

/**
 * Makes mutations that take effect once, for one database.
 *
 * @example
 * ```ts
 * const once = createOnce({
 *   claims: redisClaims(redis),
 *   records: postgresRecords(pool),
 *   scope: (ctx: Context) => ctx.userId,
 * });
 * ```
 */
export function createOnce<TContext, TTransaction>(
  options: OnceOptions<TContext, TTransaction>,
): Once<TContext, TTransaction> {
  requireOptions(options);
  const { maxOutcomeLength = 1_048_576, closeTimeoutMs = 25_000 } = options;
  const emit = quiet(options.onEvent ?? defaultLog());
  const miswired = new Set<string>();
  const onMiswired = (what: Miswiring, message: string): void => {
    // A place is one procedure's; the others are the whole app's.
    const about = what === 'place' ? message : what;
    if (miswired.has(about)) return;
    miswired.add(about);
    emit({ type: 'miswired', what, message });
  };
  const guarded = options.claims
    ? guardedClaims(claimsOfSpace(options.claims, options.records.space ?? ''), {
        ...(options.claimTimeoutMs !== undefined && { timeoutMs: options.claimTimeoutMs }),
        onFailure: (error) => emit({ type: 'claims-failed', error }),
        onChange: (available) => emit({ type: 'claims-available', available }),
      })
    : noClaims;
  const { claims, records } = withFaultPoints({ claims: guarded, records: options.records }, options.faults);
  const executor = new Executor<TTransaction>({
    claims,
    records,
    emit,
    lookAfterMs: options.lookAfterMs ?? 1_000,
    runTimeoutMs: options.runTimeoutMs ?? 60_000,
    findOutMs: options.findOutMs ?? 5_000,
  });
  const waiting =
    options.whenInProgress &&
    new WaitForOutcome<TTransaction>(
      { claims, execute: (call) => executor.execute(call) },
      options.whenInProgress,
    );
  const gate = new Gate<TTransaction>(waiting ?? executor, emit);
  const runtime: OnceRuntime<TTransaction> = {
    execute: (call) => gate.pass(call),
    fingerprint: fingerprinter(options.fingerprintSecrets),
    scope: options.scope,
    isFinal: options.isFinal ?? finalByDefault,
    seal: options.seal,
    replayedHeaders: allowedHeaders(options.replayedHeaders ?? defaultReplayedHeaders),
    onMiswired,
    watchHeaders: headersWatch(() => onMiswired('response-meta', NO_RESPONSE_META)),
    onUnreadable: (call, error) => emit({ type: 'unreadable', call: eventCall(call), error }),
  };
  const sweeping = sweeper(records, emit, options.sweep);

  return {
    implement: implementer(runtime, maxOutcomeLength) as unknown as Implement<TContext, TTransaction>,
    idempotent: idempotentMiddleware(runtime, maxOutcomeLength) as unknown as Idempotent<TTransaction>,
    context(createContext) {
      if (createContext !== undefined && typeof createContext !== 'function') {
        onMiswired('context', NO_FUNCTION);
        throw new TypeError(NO_FUNCTION);
      }
      return async (request) => {
        const context = createContext ? await createContext(request) : ({} as never);
        if (typeof context !== 'object' || context === null)
          throw new TypeError(
            `createContext gave ${context === null ? 'null' : typeof context}: the key travels on the context, so it must return an object, if only {}`,
          );
        return withWire(context, readRequest(request ?? {}));
      };
    },
    withKey(context, key) {
      if (!isIdempotencyKey(key)) throw new TypeError(`not an idempotency key: ${JSON.stringify(key)}`);
      return withWire(copied(context), { key: { ok: true, key }, ageMs: undefined, calls: 1 });
    },
    responseMeta,
    sweeper: sweeping,
    migrate: () => records.migrate(),
    async close() {
      waiting?.close();
      const ended = Promise.all([sweeping.stop(), gate.close()])
        .then(() => executor.drained())
        .then(() => Promise.all([claims.close(), records.close()]));
      await within(ended, closeTimeoutMs, () => new LeftBehind()).catch((error) => {
        if (!(error instanceof LeftBehind)) throw error;
        emit({ type: 'left-behind', calls: gate.inside() });
      });
    },
  };
}

const NO_FUNCTION =
  'once.context(createContext) takes the function that makes a context, and gives the one for the adapter: write createContext: once.context(() => ({ … }))';

const NO_RESPONSE_META =
  'an adapter answers idempotent calls without their headers, so that nobody sees Idempotency-Status, nor Retry-After on a 409 or 503: give it responseMeta: once.responseMeta, beside createContext';

/** Closing took too long. */
class LeftBehind extends Error {}
