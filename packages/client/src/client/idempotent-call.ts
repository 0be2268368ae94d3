import type { AnyProcedure } from '@trpc-once/contract';
import type { Outbox } from '../outbox/outbox.js';
import type { IdempotentMutateOptions, WithKey } from './idempotent-client.js';

/** Registered, so that two copies of this package in one bundle know each other's calls. */
export const callFacts: unique symbol = Symbol.for('@trpc-once/client: call') as never;

/** What stands behind one idempotent call of a client, for what is built on top of it, such as the React hook. */
export interface CallFacts<TProcedure extends AnyProcedure = AnyProcedure> {
  /** Dotted: `orders.place`. */
  readonly path: string;
  readonly outbox: Outbox;
  /** Who is signed in now. */
  owner(): string | null;
  /** The wire body of an input. */
  bodyOf(input: unknown): string | null;
  readonly '~procedure'?: TProcedure;
}

/** One idempotent mutation of a client, such as `client.orders.place`. */
export interface IdempotentCall<TProcedure extends AnyProcedure = AnyProcedure> {
  mutate(input: any, options?: IdempotentMutateOptions): Promise<any> & WithKey;
  readonly [callFacts]: CallFacts<TProcedure>;
}
