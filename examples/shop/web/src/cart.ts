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
    cart = new StoredValue<Cart>(`shop.cart.${accountId}`, newCart());
    // So that the first page and its reload have the same one.
    cart.set(cart.get());
    carts.set(accountId, cart);
  }
  return cart;
}

export function putIntoCart(sku: string, quantity: number): void {
  const cart = cartOf(session.get());
  const { [sku]: _, ...others } = cart.get().lines;
  cart.set({ ...cart.get(), lines: quantity > 0 ? { ...others, [sku]: quantity } : others });
}

/** The cart's order has its outcome: an empty one takes its place, or, if it was turned down, the same under a new id. */
export function renewCart(accountId: string | null, orderKey: string, placed: boolean): void {
  const cart = cartOf(accountId);
  const { id, lines } = cart.get();
  if (id === orderKey) cart.set(placed ? newCart() : { ...newCart(), lines });
}

function newCart(): Cart {
  return { id: crypto.randomUUID(), lines: {} };
}
