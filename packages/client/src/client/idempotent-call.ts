import type { TRPCPromise } from '@trpc/client';
import type { DeclaredErrors, OnceErrorShape } from '@trpc-once/contract';
import type { IdempotentCallOptions } from '../link/options.js';
import type { Outbox } from '../outbox/outbox.js';

/** Registered, so that two copies of this package in one bundle know each other's calls. */
export const callFacts: unique symbol = Symbol.for('@trpc-once/client: call') as never;

/** What stands behind one idempotent call of a client, for what is built on top of it, such as the React hook. */
export interface CallFacts<TErrors extends DeclaredErrors = DeclaredErrors> {
  /** Dotted: `orders.place`. */
  readonly path: string;
  readonly outbox: Outbox;
  /** Who is signed in now. */
  owner(): string | null;
  /** Whether a wire body means this input. */
  isInput(input: unknown, body: string | null): boolean;
  readonly '~errors'?: TErrors;
}

/** The options of an idempotent `.mutate()`: what tRPC takes for any call, and what concerns the operation. */
export interface IdempotentMutateOptions extends IdempotentCallOptions {
  /** Stops waiting; the operation goes on, and its outcome goes to `onSettled`. */
  readonly signal?: AbortSignal;
  /** For the links in front. */
  readonly context?: Record<string, unknown>;
}

/** What an idempotent `.mutate()` returns: tRPC's promise, which can also tell the operation's key. */
export interface WithKey {
  /**
   * The operation's key, known long before the outcome: that of the pending operation where the call joined one.
   * Rejected like the call itself when that was refused before it had one.
   */
  key(): Promise<string>;
}

/** One idempotent mutation of a client, such as `client.orders.place`, with the errors that its procedure declares. */
export interface IdempotentMutation<TInput, TOutput, TErrors extends DeclaredErrors = DeclaredErrors> {
  /**
   * Makes the call an operation, or joins the pending one of its intent or key, and waits for the outcome.
   * @throws a declared error, or one of this package's: see `IdempotentCallError` and what extends it
   */
  mutate(
    input: TInput,
    options?: IdempotentMutateOptions,
  ): TRPCPromise<TOutput, OnceErrorShape<TErrors>> & WithKey;
  readonly [callFacts]: CallFacts<TErrors>;
}

/** Any of them. */
export interface IdempotentCall {
  mutate(input: any, options?: IdempotentMutateOptions): Promise<any> & WithKey;
  readonly [callFacts]: CallFacts<any>;
}
