import type { TRPCError } from '@trpc/server';
import { isIdempotencyKey } from '@trpc-once/contract';
import type { ClaimStore } from '../claims/claim-store.js';
import { claimsOfSpace } from '../claims/claims-of-space.js';
import { guardedClaims, noClaims } from '../claims/guarded-claims.js';
import { eventCall, logFaults, type OnEvent, quiet } from '../events/once-event.js';
import { Executor } from '../execution/executor.js';
import { type Faults, withFaultPoints } from '../execution/fault-points.js';
import { Gate } from '../execution/gate.js';
import { WaitForOutcome, type WhenInProgress } from '../execution/wait-for-outcome.js';
import { type FingerprintSecret, fingerprinter } from '../fingerprint/fingerprint.js';
import type { RecordStore } from '../records/record-store.js';
import { type Sweeper, type SweeperOptions, sweeper } from '../sweeper/sweeper.js';
import { type Idempotent, idempotentMiddleware } from './idempotent.js';
import { type Implement, implementer } from './implement.js';
import type { OnceRuntime, Principal } from './once-middleware.js';
import { finalByDefault } from './outcomes/final-by-default.js';
import type { OutcomeSeal } from './outcomes/outcome-seal.js';
import { allowedHeaders, defaultReplayedHeaders } from './outcomes/replayed-headers.js';
import { readRequest } from './wire/read-request.js';
import { responseMeta } from './wire/response-meta.js';
import { copied, withWire } from './wire/wire-context.js';

export interface OnceOptions<TContext, TTransaction> {
  /**
   * Whose operation a call is: the principal (user, tenant), not the credential, so that a rotated token does not orphan
   * a retry. Two principals never see each other's keys. A list is for principals with several parts, such as
   * `[ctx.tenantId, ctx.userId]`. `null` when nobody is signed in: the call is refused with 401.
   */
  readonly scope: (ctx: TContext) => Principal | Promise<Principal>;
  /** Where outcomes settle, in the database of the business data: `postgresRecords(pool)`. */
  readonly records: RecordStore<TTransaction>;
  /**
   * Where claims are made: `redisClaims(redis)`. Keeps duplicates away from the database and makes replays fast; the
   * promise holds without it.
   * @default none: Postgres alone
   */
  readonly claims?: ClaimStore;
  /**
   * Secrets for keyed fingerprints; the first signs, the others are still compared.
   * @default none: SHA-256
   */
  readonly fingerprintSecrets?: readonly FingerprintSecret[];
  /**
   * Undeclared errors to settle and replay. Such an outcome is kept for the whole retention; any other error releases the
   * operation, so that the same key may run again.
   * @default finalByDefault: a TRPCError of the 4xx kind that the handler throws, but for those that say "not now" (401,
   * 408, 429, 499). A client takes these for the answer, so no copy of the request that comes later may run and succeed.
   */
  readonly isFinal?: (error: TRPCError) => boolean;
  /**
   * Encrypts what is stored of outcomes.
   * @default stored as they are
   */
  readonly seal?: OutcomeSeal;
  /**
   * The response headers that handlers may set, to be stored and replayed. One that carries a credential, such as
   * Set-Cookie, is refused.
   * @default ['location', 'content-location', 'link']
   */
  readonly replayedHeaders?: readonly string[];
  /**
   * The longest encoded outcome that is kept, in characters; a longer one fails its call before anything is committed.
   * @default 1_048_576
   */
  readonly maxOutcomeLength?: number;
  /**
   * How long a call waits for the claim store, in milliseconds, before it goes on without.
   * @default 250
   */
  readonly claimTimeoutMs?: number;
  /**
   * A claim older than this, in milliseconds, sends its duplicates to the record, so that an outcome committed just
   * before a crash replays without waiting for the lease.
   * @default 1_000 — longer than a call usually takes
   */
  readonly lookAfterMs?: number;
  /**
   * How long to find out what became of a COMMIT whose answer was lost, in milliseconds, before answering 503 `unknown`.
   * @default 5_000
   */
  readonly findOutMs?: number;
  /**
   * Lets the duplicate of a call in progress wait for its outcome instead of answering 409 at once.
   * @default 409 at once
   */
  readonly whenInProgress?: WhenInProgress;
  /**
   * Told what happens, for logs and metrics. Cannot change it: what it throws is dropped.
   * @default what an operator has to know (the records fail, a fault) goes to console.error
   */
  readonly onEvent?: OnEvent;
  readonly sweep?: SweeperOptions;
  /** For tests: makes an attempt fail at a named point. */
  readonly faults?: Faults;
}

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
   * Put it after `.input()` and before `.output()`. Handlers find `tx`, `errors` and `idempotencyKey` on their `ctx`.
   */
  readonly idempotent: Idempotent<TTransaction>;
  /**
   * Wraps an adapter's `createContext`, so that contexts carry the request's key. Works with every adapter.
   * @example createHTTPServer({ router, createContext: once.context(createContext), responseMeta: once.responseMeta })
   */
  context<TOptions extends object, TRequestContext extends object = object>(
    createContext?: (options: TOptions) => TRequestContext | Promise<TRequestContext>,
  ): (options: TOptions) => Promise<TRequestContext>;
  /** Puts a key on a context by hand, for `createCaller`. @throws TypeError when it is not a key. */
  withKey<TRequestContext extends object>(context: TRequestContext, key: string): TRequestContext;
  /** An adapter's `responseMeta`: the idempotency headers of an answer. */
  readonly responseMeta: typeof responseMeta;
  /** Deletes expired records; `start()` it in any or all instances. */
  readonly sweeper: Sweeper;
  /** Creates or updates the records table. Call it before serving; instances may do so all at once. */
  migrate(): Promise<void>;
  /** Refuses new calls with 503, waits for those that run, tells the claim store what is left to tell, and stops. */
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
  const { maxOutcomeLength = 1_048_576 } = options;
  requireParts(options);
  const emit = quiet(options.onEvent ?? logFaults);
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
    onUnreadable: (call, error) => emit({ type: 'unreadable', call: eventCall(call), error }),
  };
  const sweeping = sweeper(records, emit, options.sweep);

  return {
    implement: implementer(runtime, maxOutcomeLength) as unknown as Implement<TContext, TTransaction>,
    idempotent: idempotentMiddleware(runtime, maxOutcomeLength) as unknown as Idempotent<TTransaction>,
    context: (createContext) => async (request) =>
      withWire(createContext ? await createContext(request) : ({} as never), readRequest(request)),
    withKey(context, key) {
      if (!isIdempotencyKey(key)) throw new TypeError(`not an idempotency key: ${JSON.stringify(key)}`);
      return withWire(copied(context), { key: { ok: true, key }, ageMs: undefined, calls: 1 });
    },
    responseMeta,
    sweeper: sweeping,
    migrate: () => records.migrate(),
    async close() {
      waiting?.close();
      await Promise.all([sweeping.stop(), gate.close()]);
      await executor.drained();
      await claims.close();
      await records.close();
    },
  };
}

/** For those who come here without types: said at the start, not at the first call. */
function requireParts({ scope, records, claims }: OnceOptions<any, any>): void {
  if (typeof scope !== 'function')
    throw new TypeError('createOnce({ scope }) must be a function that gives the principal of a context');
  if (typeof records?.transact !== 'function')
    throw new TypeError(
      'createOnce({ records }) must be a record store: postgresRecords(pool), not the pool itself',
    );
  if (claims !== undefined && typeof claims?.claim !== 'function')
    throw new TypeError(
      'createOnce({ claims }) must be a claim store: redisClaims(redis), not the client itself',
    );
}
