import { isOutcomeUnknown } from '@trpc-once/client';
import type { ShopClient } from '../../client/shop-client.js';
import type { PlannedOrder } from '../plan.js';
import { type Told, type ToldOutcome, toldError } from './told.js';

export interface PlaceOrdersOptions {
  readonly client: ShopClient;
  readonly orders: readonly PlannedOrder[];
  /** How many at the same time. */
  readonly atOnce: number;
  readonly onTold: (told: Told) => void;
}

/** Places all orders, each until its outcome is known. */
export async function placeOrders({ client, orders, atOnce, onTold }: PlaceOrdersOptions): Promise<void> {
  const left = [...orders];
  const placeInTurn = async (): Promise<void> => {
    for (let order = left.shift(); order; order = left.shift()) onTold(await placeOrder(client, order));
  };
  await Promise.all(Array.from({ length: atOnce }, placeInTurn));
}

async function placeOrder(client: ShopClient, { reference, sku, quantity }: PlannedOrder): Promise<Told> {
  const placed = client.orders.place.mutate({ sku, quantity, reference });
  const outcome = outcomeOf(placed);
  return { reference, key: await placed.key(), outcome: await outcome };
}

/** A client that stops asking has no outcome yet: it is asked again, with the same key, for as long as the drill runs. */
async function outcomeOf(asked: Promise<unknown>): Promise<ToldOutcome> {
  try {
    return { kind: 'order', order: (await asked) as Extract<ToldOutcome, { kind: 'order' }>['order'] };
  } catch (error) {
    const goesOn = isOutcomeUnknown(error) && error.reason !== 'closed';
    return goesOn ? outcomeOf(error.resume()) : toldError(error);
  }
}
