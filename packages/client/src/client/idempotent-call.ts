import type { TRPCPromise } from '@trpc/client';
import type { DeclaredErrors, OnceErrorShape } from '@trpc-once/contract';
import type { Outbox } from '../outbox/outbox.js';
import type { IdempotentMutateOptions, WithKey } from './idempotent-client.js';

/** Registered, so that two copies of this package in one bundle know each other's calls. */
export const callFacts: unique symbol = Symbol.for('@trpc-once/client: call') as never;

/** What stands behind one idempotent call of a client, for what is built on top of it, such as the React hook. */
export interface CallFacts<TErrors extends DeclaredErrors = DeclaredErrors> {
  /** Dotted: `orders.place`. */
  readonly path: string;
  readonly outbox: Outbox;
  /** Who is signed in now. */
  owner(): string | null;
  /** The wire body of an input. */
  bodyOf(input: unknown): string | null;
  readonly '~errors'?: TErrors;
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
