import type { AnyContract, Manifest, RetryPolicy, Transformer } from '@trpc-once/contract';
import type { Clock } from '../attempts/clock.js';
import type { ClientFetch, ClientHeaders } from '../attempts/send-attempt.js';
import type { OnSettled } from '../outbox/hand-over/on-settled.js';
import type { OnFailure } from '../outbox/operation/operation.js';
import type { OutboxStorage } from '../outbox/store/storage.js';
import type { OnWake } from '../outbox/waking/page-events.js';

export interface IdempotencyOptions {
  /** What client and server share: the contract, or its manifest where validators would make the bundle too big. */
  readonly contract: AnyContract | Manifest;
  /** Where the tRPC server answers, such as `https://shop.example/trpc`. */
  readonly url: string | URL;
  /**
   * Who is signed in: the principal (a user's id), not the credential; `null` for nobody. Asked anew for every call and
   * again right before every send. An operation belongs to whom this named when it was called: nothing of it is sent or
   * listed for anybody else. Call `outbox.resume()` after it has changed.
   */
  readonly owner: () => string | null;
  /** Where operations are kept until their outcome was handed over. */
  readonly storage: OutboxStorage;
  /** For every request; a function is asked anew for each attempt, so that a refreshed credential is used. */
  readonly headers?: ClientHeaders;
  /** The server's transformer, beside a manifest; a contract names its own. */
  readonly transformer?: Transformer;
  /** Laid over each procedure's policy; the call's own is laid over this. */
  readonly retry?: Partial<RetryPolicy>;
  /** @default the global `fetch` */
  readonly fetch?: ClientFetch;
  /**
   * Hears of outcomes that no caller waits for any more: found after a reload, or after its caller stopped waiting. With
   * tabs, a caller in another tab counts as none here, so that both may hear.
   */
  readonly onSettled?: OnSettled;
  /**
   * Who hears of an outcome first: its callers, and `onSettled` only when there are none; or always `onSettled`, its callers
   * once that has returned. A call that resolves tells a process once, and the process may be killed before it has noted
   * what it was told. Whoever must not miss an outcome notes it in `onSettled`, which is told until it returns.
   * @default 'callers'
   */
  readonly settledFirst?: 'callers' | 'onSettled';
  /**
   * Tries to sign in again after a 401, and says whether that worked; the attempt is then repeated once with the same key.
   * Operations that were refused together share one call of it. Without it, or when it fails, the operation is parked.
   */
  readonly onUnauthorized?: () => Promise<boolean>;
  /**
   * Whether to resume by itself what storage holds: as soon as the client is made, when the page is shown or the device is
   * online again, and what another tab or process leaves behind.
   * @default true, unless the storage lives and dies with the process
   */
  readonly resumeOnStart?: boolean;
  /**
   * How far apart it asks again by itself for what nobody else asks for: operations whose attempts or wait are spent, and
   * outcomes that `onSettled` refused. Each rests for at most `minDelayMs` and at least half of it, twice as long after
   * every further attempt in vain, up to `maxDelayMs`; the first outcome that comes has all of them begin anew. What the
   * server put off is asked for when that time is over, and up to `minDelayMs` later, so that not everybody comes at once.
   *
   * One attempt at a time each, within the origin's retry budget; of several tabs or processes only the one that leads;
   * never for what only somebody can change; only where `resumeOnStart` is. It keeps no Node process alive. `false`: only
   * `resume()`, a start, and a page that is shown or online ask again, as where a scheduler of the app's own calls
   * `resume()`.
   * @default `{ minDelayMs: 60_000, maxDelayMs: 900_000 }`: a restart or a lost network is over by the first, and nobody is
   * looking any more; in an outage of hours a client then sends some five requests an hour for each operation
   */
  readonly resumeByTime?: false | { readonly minDelayMs?: number; readonly maxDelayMs?: number };
  /**
   * Tells when the outbox has to look up: `wake('shown')` when somebody looks at the app again, `wake('online')` when the device
   * found a network. It then reads its storage, tries what is due at once, and resumes what only waits for that; unlike
   * `outbox.resume()` it does not ask for what a person has to do something about. Returns what ends it, for `close()`.
   * @default the page's `visibilitychange`, `pageshow` and `online`; nothing where there is no page, as in React Native
   * @example
   * ```ts
   * onWake: (wake) => {
   *   const app = AppState.addEventListener('change', (now) => now === 'active' && wake('shown'));
   *   const offNet = NetInfo.addEventListener(({ isConnected }) => isConnected && wake('online'));
   *   return () => {
   *     app.remove();
   *     offNet();
   *   };
   * }
   * ```
   */
  readonly onWake?: OnWake;
  /** Time, for tests. @default the system's */
  readonly clock?: Clock;
  /** Evenly from 0 to 1, for tests. @default Math.random */
  readonly random?: () => number;
}

/** What one idempotent call may say beside its input. */
export interface IdempotentCallOptions {
  /**
   * The app's own name for what the user meant, such as `checkout:${cart.id}`. A call with the intent and the input of a
   * pending operation joins it, also after a reload; with another input it is an `IntentConflictError`. Once the outcome
   * was handed over, the intent is free again. Without one, every call is an operation of its own. One that is given and
   * undefined is refused, as a key and a lane are: it names nothing yet, and the call would be made without it. For none,
   * leave the name out: `{ ...(cart && { intent: `checkout:${cart.id}` }) }`.
   */
  readonly intent?: string;
  /** A key of the caller's own: 1–255 printable ASCII characters without a comma. @default a UUIDv7 */
  readonly key?: string;
  /**
   * For whom the call is meant, where that was decided before it is made: a mutation that another library retries or restores
   * is called again when somebody else may be signed in. It is then left to its owner: an `OperationParkedError`
   * (`owner-changed`) if it is kept here, and nothing is sent.
   * @default whoever is signed in
   */
  readonly owner?: string | null | undefined;
  /**
   * Operations of one lane, such as `cart:${cart.id}`, run in the order of their calls, one after the other, across reloads,
   * tabs and processes. While one of them has no outcome, those behind it are not sent.
   */
  readonly lane?: string;
  /**
   * What happens in its lane when this operation fails, or expires without an outcome: those behind it are parked until
   * somebody decides (`OperationParkedError` with reason `lane-halted`), or run all the same.
   * @default 'halt'
   */
  readonly onFailure?: OnFailure | undefined;
  /** Laid over the contract's policy and the client's. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /**
   * How long this caller waits for the outcome; the same as `retry.waitMs`. The outbox goes on asking after that, for two
   * minutes in all at least, and `onSettled` hears of what it finds. It counts from when the operation is kept: with 0 the
   * call ends then with an `OutcomeUnknownError` (`wait-over`), the first attempt under way, and only `onSettled` hears more.
   */
  readonly waitMs?: number | undefined;
}

/** What a call puts into its tRPC context to say more about an idempotent mutation. */
export interface IdempotencyContext extends IdempotentCallOptions {
  /** Told the operation's key as soon as it has one, and whose it is. */
  onKey?(key: string, owner: string | null): void;
}
