import type { TRPCError } from '@trpc/server';
import type { ClaimStore } from '../claims/claim-store.js';
import type { OnEvent } from '../events/once-event.js';
import type { Faults } from '../execution/fault-points.js';
import type { WhenInProgress } from '../execution/wait-for-outcome.js';
import type { FingerprintSecret } from '../fingerprint/fingerprint.js';
import { requireKnown } from '../options/require-known.js';
import type { RecordStore } from '../records/record-store.js';
import type { SweeperOptions } from '../sweeper/sweeper.js';
import type { Principal } from './once-middleware.js';
import type { OutcomeSeal } from './outcomes/outcome-seal.js';

/** What {@link createOnce} takes. */
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
   * @default {@link finalByDefault}: a TRPCError of the 4xx kind that the handler throws, but for those that say "not now" (401,
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
   * How long the handler of one attempt may run, in milliseconds, with all runs that the database asked for. Then its
   * transaction is rolled back and the call answered with 503 `released`; what the handler still does is not heard. Without
   * it a handler that hangs, on a connection that went dead without a word say, would hold its key for as long as its
   * process lives. `Infinity` for no limit; work of minutes is better handed over through a row that `tx` writes. A procedure
   * may have one of its own: `implement(contract, { procedure, runTimeoutMs: { 'orders.import': 300_000 } }, …)`.
   * @default 60_000 — as long as Postgres lets a transaction of ours sit idle, which is limited by this too
   */
  readonly runTimeoutMs?: number;
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
   * @default what an operator has to know goes to console.error, in one line where that will do: an outage of the records
   * once and its end once, a handler's bug with its place, path and key, a piece that the app forgot. It names no inputs: of a
   * message it prints the first line, and of an error's other properties its code
   */
  readonly onEvent?: OnEvent;
  readonly sweep?: SweeperOptions;
  /**
   * How long `close()` waits for the calls inside, in milliseconds. What is left then goes on for as long as its process
   * and its pool do, and is told as `left-behind`. `Infinity` waits for every answer.
   * @default 25_000 — what takes a process down kills it after 30 seconds, as Kubernetes does
   */
  readonly closeTimeoutMs?: number;
  /** For tests: makes an attempt fail at a named point. */
  readonly faults?: Faults;
}

const known = {
  scope: true,
  records: true,
  claims: true,
  fingerprintSecrets: true,
  isFinal: true,
  seal: true,
  replayedHeaders: true,
  maxOutcomeLength: true,
  claimTimeoutMs: true,
  lookAfterMs: true,
  runTimeoutMs: true,
  findOutMs: true,
  whenInProgress: true,
  onEvent: true,
  sweep: true,
  closeTimeoutMs: true,
  faults: true,
} satisfies Record<keyof OnceOptions<any, any>, true>;

/** Without what `createOnce({ ...await storesFromEnv(), scope })` brings along: nothing for it, and no mistake. */
function withoutStores(options: object | undefined): unknown {
  if (typeof options !== 'object' || options === null) return options;
  const { db, description, close, ...own } = options as Record<string, unknown>;
  return own;
}

const waiting = { waitMs: true, maxWaiters: true } satisfies Record<keyof WhenInProgress, true>;

/**
 * For those who come here without types, or with a limit out of an environment variable: said at the start, not at the first
 * call.
 *
 * @throws TypeError saying which option is wrong, or none at all, and what it takes
 */
export function requireOptions(options: OnceOptions<any, any>): void {
  requireKnown('createOnce', withoutStores(options), known);
  const { scope, records, claims, onEvent } = options ?? {};
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
  if (onEvent !== undefined && typeof onEvent !== 'function')
    throw new TypeError('createOnce({ onEvent }) must be a function that is given each event');
  const { maxOutcomeLength, whenInProgress } = options;
  requireNumber('maxOutcomeLength', maxOutcomeLength, { least: 0 });
  if (whenInProgress) {
    requireKnown('whenInProgress', whenInProgress, waiting);
    // Without a number it would look again every millisecond, for ever.
    requireNumber('whenInProgress.waitMs', whenInProgress.waitMs ?? Number.NaN, {
      least: 0,
      most: 3_600_000,
    });
    requireNumber('whenInProgress.maxWaiters', whenInProgress.maxWaiters, { least: 0 });
  }
  for (const [name, { least, most }] of Object.entries(limits)) {
    const value = options[name as keyof typeof limits];
    if (value !== undefined && !(typeof value === 'number' && value >= least && value <= most))
      throw new TypeError(
        `createOnce({ ${name} }) must be from ${least} to ${most} milliseconds, not ${String(value)}`,
      );
  }
}

function requireNumber(
  name: string,
  value: number | undefined,
  { least, most = Number.POSITIVE_INFINITY }: { least: number; most?: number },
): void {
  if (value !== undefined && !(typeof value === 'number' && value >= least && value <= most))
    throw new TypeError(
      `createOnce({ ${name} }) must be a number from ${least} to ${most}, not ${String(value)}`,
    );
}

/** A claim that is not waited for is no claim, and a handler that may run for no time at all runs for nothing. */
const limits = {
  claimTimeoutMs: { least: 1, most: 60_000 },
  lookAfterMs: { least: 0, most: Number.POSITIVE_INFINITY },
  runTimeoutMs: { least: 1, most: Number.POSITIVE_INFINITY },
  findOutMs: { least: 0, most: 3_600_000 },
  closeTimeoutMs: { least: 0, most: Number.POSITIVE_INFINITY },
} as const satisfies Partial<Record<keyof OnceOptions<any, any>, { least: number; most: number }>>;
