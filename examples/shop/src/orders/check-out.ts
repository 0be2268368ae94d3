import type { CheckOut, Order } from '../contract.js';
import { type PlaceOrderCall, placeOrder } from './place-order.js';

export interface CheckOutCall extends Omit<PlaceOrderCall, 'input'> {
  readonly input: CheckOut;
}

/**
 * Orders every line of a cart in one transaction. The account's row is taken with the first line; the products go in the
 * order of their names, so that two carts with the same products never wait in a circle.
 *
 * @throws what `placeOrder` throws, for the first line that cannot be had; the transaction must then roll back.
 */
export async function checkOut({ input, ...call }: CheckOutCall): Promise<Order[]> {
  const lines = [...input.lines].sort((one, other) => (one.sku < other.sku ? -1 : 1));
  const orders: Order[] = [];
  for (const [index, line] of lines.entries()) {
    const reference = input.reference === undefined ? {} : { reference: `${input.reference}/${index + 1}` };
    orders.push(await placeOrder({ ...call, input: { ...line, ...reference } }));
  }
  return orders;
}
