import { TRPCError } from '@trpc/server';
import type { DeclaredErrors } from '@trpc-once/contract';
import type { Miswiring } from '../events/once-event.js';
import type { Answer, Call } from '../execution/call.js';
import { NoCanonicalFormError } from '../fingerprint/canonical-form.js';
import type { Fingerprint, Fingerprinter } from '../fingerprint/fingerprint.js';
import { encodeScope } from '../outcome/operation-id.js';
import type { Outcome } from '../outcome/outcome.js';
import { refusalError } from './errors/refusal-error.js';
import { behind, requireOnce } from './idempotent-twice.js';
import type { OutcomeCodec } from './outcomes/outcome-codec.js';
import { type OutcomeSeal, type SealedOutcome, sealed } from './outcomes/outcome-seal.js';
import { type MiddlewareResult, ranFromResult } from './outcomes/ran-from-result.js';
import { HeaderCollector, type ReplayedHeaders } from './outcomes/replayed-headers.js';
import { tellAnswer } from './outcomes/tell-answer.js';
import type { ProcedurePolicy } from './own-run-timeout.js';
import { type WireContext, wireOf } from './wire/wire-context.js';

/** A principal, or null when nobody is signed in. */
export type Principal = string | readonly string[] | null | undefined;

/** What the middlewares of one app share. */
export interface OnceRuntime<TTransaction> {
  readonly execute: (call: Call<TTransaction>) => Promise<Answer>;
  readonly fingerprint: Fingerprinter;
  readonly scope: (ctx: any) => Principal | Promise<Principal>;
  readonly isFinal: (error: TRPCError) => boolean;
  readonly seal: OutcomeSeal | undefined;
  /** The names of the response headers that handlers may set. */
  readonly replayedHeaders: ReadonlySet<string>;
  /** Told what the app lacks; tells it on once. */
  readonly onMiswired: (what: Miswiring, message: string) => void;
  /** Looks whether the answer of a call that has ended gets its headers. */
  readonly watchHeaders: (wire: WireContext) => void;
  /** Told when a stored outcome cannot be read. */
  readonly onUnreadable: (call: Call<TTransaction>, error: unknown) => void;
}

/** What one procedure adds. */
export interface KeyedProcedure<TTransaction> {
  readonly policy: ProcedurePolicy;
  readonly errors: DeclaredErrors;
  readonly codec: OutcomeCodec;
  /** Puts what the handler needs on its context. */
  readonly extend: (
    call: { readonly tx: TTransaction; readonly key: string; readonly headers: ReplayedHeaders },
    ctx: object,
  ) => object;
}

/** The part of a tRPC middleware's options that is used here. */
export interface MiddlewareOptions {
  readonly ctx: any;
  readonly path: string;
  getRawInput(): Promise<unknown>;
  next(options?: { ctx?: any }): Promise<any>;
}

/**
 * How much longer a record is kept than attempts are let in, in milliseconds: an attempt says its key's age when it
 * leaves, and may be held up on the way.
 */
const IN_TRANSIT_MS = 3_600_000;

const NO_WIRE =
  'an idempotent procedure was called with a context that carries no key: give the adapter createContext: once.context(createContext), or a caller once.withKey(ctx, key)';

const NOT_CALLED =
  'the context is a function: once.context(createContext) gives the one that the adapter needs, so give it createContext: once.context(createContext)';

const SOCKET =
  'this came over a WebSocket, whose headers belong to all of its calls: send idempotent calls over HTTP (splitLink), one request each';

/** Refuses a request without one good key of its own. Stands before the app's own middlewares. */
export function requireKey(
  ctx: unknown,
  { onMiswired }: Pick<OnceRuntime<never>, 'onMiswired'>,
): { readonly key: string; readonly wire: WireContext } {
  const wire = wireOf(ctx);
  if (!wire) {
    const message = typeof ctx === 'function' ? NOT_CALLED : NO_WIRE;
    onMiswired('context', message);
    throw new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message });
  }
  const why = wire.socket ? SOCKET : wire.why;
  if (!wire.key.ok) throw refusalError(wire.key.refusal, { why });
  if (wire.calls > 1) throw refusalError('KEY_SHARED', { key: wire.key.key, why });
  return { key: wire.key.key, wire };
}

/** The middleware of one idempotent procedure: the last before the handler. */
export function onceMiddleware<TTransaction>(
  runtime: OnceRuntime<TTransaction>,
  keyed: KeyedProcedure<TTransaction>,
) {
  const { policy, errors, codec, extend } = keyed;
  return async ({ ctx, path, getRawInput, next }: MiddlewareOptions): Promise<any> => {
    requireOnce(runtime, { ctx, path, getRawInput });
    const { key, wire } = requireKey(ctx, runtime);
    // Whole seconds were cut off on the way, and an operation that may be too old may have been swept.
    if (wire.ageMs !== undefined && wire.ageMs + 1_000 > policy.retentionMs)
      throw refusalError('KEY_EXPIRED', { key });
    const scope = await scopeOf(runtime, ctx);
    if (scope === undefined) throw refusalError('SCOPE_MISSING', { key });

    const { seal, isFinal } = runtime;
    const about: SealedOutcome = { procedure: path, key, scope };
    /** What the handler threw in a run that failed for good; where another's outcome is told, nothing is found here. */
    const originals = new WeakMap<Outcome, Error>();
    const call: Call<TTransaction> = {
      id: { scope, key },
      procedure: path,
      fingerprint: fingerprintOf(runtime, path, await rawInput(getRawInput, wire)),
      retentionMs: policy.retentionMs + IN_TRANSIT_MS,
      leaseMs: policy.leaseMs,
      ...(policy.runTimeoutMs !== undefined && { runTimeoutMs: policy.runTimeoutMs }),
      async run(tx) {
        const headers = new HeaderCollector(runtime.replayedHeaders);
        const result: MiddlewareResult = await next({
          ctx: { ...extend({ tx, key, headers }, ctx), [behind]: getRawInput },
        });
        const ran = await ranFromResult(result, {
          codec,
          errors,
          isFinal,
          headers,
          seal: seal && ((body) => sealed(seal, body, about)),
        });
        if (ran.kind === 'outcome' && !result.ok) originals.set(ran.outcome, result.error);
        return ran;
      },
    };
    const answer = await runtime.execute(call);
    runtime.watchHeaders(wire);
    const output = await tellAnswer(answer, {
      codec,
      key,
      original: (outcome) => (answer.kind === 'settled' ? originals.get(outcome) : undefined),
      open: seal && ((body) => seal.open(body, about)),
      onUnreadable: (error) => runtime.onUnreadable(call, error),
      onHeaders: (headers) => {
        wire.headers = headers;
      },
    }).catch((error) => {
      wire.failed = error;
      throw error;
    });
    if (answer.kind === 'settled' || answer.kind === 'replayed') wire.settlement = answer.kind;
    return { ok: true, data: output, ctx, marker: 'middlewareMarker' };
  };
}

/** @throws TypeError when `scope()` gave what is no principal. */
async function scopeOf(
  { scope, onMiswired }: Pick<OnceRuntime<unknown>, 'scope' | 'onMiswired'>,
  ctx: unknown,
): Promise<string | undefined> {
  const principal = await scope(ctx);
  if (isNobody(principal)) return undefined;
  try {
    return encodeScope(principal);
  } catch (error) {
    onMiswired('scope', (error as Error).message);
    throw error;
  }
}

/** A list whose parts are all empty is what `[user?.tenantId ?? '', user?.id ?? '']` gives for everybody not signed in. */
function isNobody(principal: Principal): principal is null | undefined {
  if (Array.isArray(principal)) return principal.every((part) => part === '');
  return principal === null || principal === undefined || principal === '';
}

/** tRPC below 11.25 reads no input where there is none to be parsed, and finds no JSON in an empty body where one asks it. */
async function rawInput(getRawInput: () => Promise<unknown>, { bodiless }: WireContext): Promise<unknown> {
  try {
    return await getRawInput();
  } catch (error) {
    if (!bodiless) throw error;
    return undefined;
  }
}

function fingerprintOf(
  runtime: Pick<OnceRuntime<unknown>, 'fingerprint'>,
  path: string,
  input: unknown,
): Fingerprint {
  if (input instanceof FormData || input instanceof ReadableStream || input instanceof Blob)
    throw new TRPCError({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message:
        'An idempotent mutation takes JSON: a form or a stream can be read only once, so a retry could not be told from another operation.',
    });
  try {
    return runtime.fingerprint(path, input);
  } catch (cause) {
    if (!(cause instanceof NoCanonicalFormError)) throw cause;
    throw new TRPCError({ code: 'BAD_REQUEST', message: cause.message, cause });
  }
}
