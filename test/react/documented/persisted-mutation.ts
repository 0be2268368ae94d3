import { idempotentMutation } from '@trpc-once/client/react';
import { client } from './client.js';

// #region readme
interface KeyedOrder {
  readonly key: string; // crypto.randomUUID(), when the user tapped
  readonly owner: string; // who that was
  readonly sku: string;
  readonly quantity: number;
}

export const persisted = idempotentMutation(client.orders.place, {
  key: ({ key }: KeyedOrder) => key,
  owner: ({ owner }: KeyedOrder) => owner,
  input: ({ key: _, owner: __, ...input }: KeyedOrder) => input,
});
// #endregion
