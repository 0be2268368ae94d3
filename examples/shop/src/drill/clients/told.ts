import { declaredError } from '@trpc-once/contract';
import { type Order, shop } from '../../contract.js';

/** What a client was told an operation came to. */
export type ToldOutcome =
  | { readonly kind: 'order'; readonly order: Order }
  /** One of the errors that the contract declares. */
  | { readonly kind: 'declared'; readonly name: string; readonly data: unknown }
  /** Anything else: no outcome, and none that the drill expects. */
  | { readonly kind: 'other'; readonly message: string };

export interface Told {
  readonly reference: string;
  /** The key that the operation was sent with. */
  readonly key: string;
  readonly outcome: ToldOutcome;
}

export function toldError(error: unknown): ToldOutcome {
  const declared = declaredError(error, shop.orders.place);
  return declared
    ? { kind: 'declared', name: declared.name, data: declared.data }
    : { kind: 'other', message: String(error) };
}
