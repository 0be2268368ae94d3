import type { AnyContract, Manifest, RetryPolicy, Transformer } from '@trpc-once/contract';
import type { Clock } from '../attempts/clock.js';
import type { ClientFetch, ClientHeaders } from '../attempts/send-attempt.js';
import type { OnSettled } from '../outbox/runs.js';
import type { OutboxStorage } from '../outbox/storage.js';

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
  /** Hears of outcomes that no caller waits for any more. */
  readonly onSettled?: OnSettled;
  /**
   * Tries to sign in again after a 401, and says whether that worked; the attempt is then repeated once with the same key.
   * Operations that were refused together share one call of it. Without it, or when it fails, the operation is parked.
   */
  readonly onUnauthorized?: () => Promise<boolean>;
  /**
   * Whether to resume what storage holds as soon as the client is made.
   * @default true, unless the storage lives and dies with the process
   */
  readonly resumeOnStart?: boolean;
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
   * was handed over, the intent is free again. Without one, every call is an operation of its own.
   */
  readonly intent?: string | undefined;
  /** A key of the caller's own: 1–255 printable ASCII characters without a comma. @default a UUIDv7 */
  readonly key?: string | undefined;
  /** Laid over the contract's policy and the client's. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /**
   * How long this caller waits for the outcome; the same as `retry.waitMs`. The outbox goes on asking after that, for two
   * minutes in all at least, and `onSettled` hears of what it finds. It counts from when the operation is kept: with 0 the
   * call ends then with an `OutcomeUnknownError` (`wait-over`), the first attempt under way, and only `onSettled` hears more.
   */
  readonly waitMs?: number | undefined;
}
