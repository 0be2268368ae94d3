import type { CheckOut } from '../../src/contract.js';
import { session } from './session.js';
import { StoredValue } from './stored-value.js';

/**
 * What somebody is about to buy. The id is made with the cart, and is the key of its order: however often, in however
 * many tabs and after however many reloads it is ordered, it is one order.
 */
export interface Cart {
  readonly id: string;
  /** Quantity by product. */
  readonly lines: Readonly<Record<string, number>>;
}

const carts = new Map<string | null, StoredValue<Cart>>();

/** The cart of whoever is signed in. */
export function cartOf(accountId: string | null): StoredValue<Cart> {
  let cart = carts.get(accountId);
  if (!cart) {
    cart = new StoredValue<Cart>(`shop.cart.${accountId}`, newCart({}));
    // So that the first page and its reload have the same one.
    cart.set(cart.get());
    carts.set(accountId, cart);
  }
  return cart;
}

export function putIntoCart(sku: string, quantity: number): void {
  const cart = cartOf(session.get());
  const { id, lines } = cart.get();
  cart.set({ id, lines: without([], { ...lines, [sku]: quantity }) });
}

/**
 * The cart's order is over: a new cart takes its place, with what was not `ordered`. That is all of it where the order was
 * turned down, and else what was put in while the order was on its way.
 */
export function renewCart(accountId: string | null, orderKey: string, ordered: CheckOut['lines']): void {
  const cart = cartOf(accountId);
  const { id, lines } = cart.get();
  if (id === orderKey) cart.set(newCart(without(ordered, lines)));
}

function without(ordered: CheckOut['lines'], lines: Cart['lines']): Cart['lines'] {
  const left = { ...lines };
  for (const { sku, quantity } of ordered) left[sku] = (left[sku] ?? 0) - quantity;
  return Object.fromEntries(Object.entries(left).filter(([, quantity]) => quantity > 0));
}

function newCart(lines: Cart['lines']): Cart {
  return { id: crypto.randomUUID(), lines };
}
