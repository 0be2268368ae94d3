import { v4 } from 'uuid';
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
  readonly lines: Quantities;
}

/** Not crypto.randomUUID(), which pages without https lack: the shop is opened on a phone in the same network, too. */
const newId = (): string => v4();

type Quantities = Readonly<Record<string, number>>;

/**
 * A cart in two items: what was put in, and what of that is in no cart any more, because it was ordered. Tabs write at the
 * same time, and the later word stands; so a tap writes one item, the end of an order the other, and neither takes
 * anything from the other. In one item, a cart renewed in one tab lost what was put in just then in another.
 */
class StoredCart {
  readonly #put: StoredValue<Quantities>;
  readonly #now: StoredValue<{ readonly id: string; readonly ordered?: Quantities }>;
  #shown: { readonly of: readonly unknown[]; readonly cart: Cart } | undefined;

  constructor(accountId: string | null) {
    this.#put = new StoredValue(`shop.put.${accountId}`, {});
    this.#now = new StoredValue(`shop.cart.${accountId}`, { id: newId() });
    // So that the first page and its reload have the same one.
    this.#now.set(this.#now.get());
  }

  /** The same object until it changes. */
  readonly get = (): Cart => {
    const [put, now] = [this.#put.get(), this.#now.get()];
    if (this.#shown?.of[0] !== put || this.#shown.of[1] !== now) {
      const lines = Object.entries(put).map(([sku, all]) => [sku, all - (now.ordered?.[sku] ?? 0)] as const);
      const cart = { id: now.id, lines: Object.fromEntries(lines.filter(([, quantity]) => quantity > 0)) };
      this.#shown = { of: [put, now], cart };
    }
    return this.#shown.cart;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    const ends = [this.#put.subscribe(listener), this.#now.subscribe(listener)];
    return () => {
      for (const end of ends) end();
    };
  };

  put(sku: string, more: number): void {
    const put = this.#put.get();
    // Of what was taken out while its order was on its way, more was ordered than is in.
    const all = Math.max(put[sku] ?? 0, this.#now.get().ordered?.[sku] ?? 0);
    this.#put.set({ ...put, [sku]: all + more });
  }

  renew(orderKey: string, lines: CheckOut['lines']): void {
    const { id, ordered } = this.#now.get();
    if (id !== orderKey) return;
    const all: Record<string, number> = { ...ordered };
    for (const { sku, quantity } of lines) all[sku] = (all[sku] ?? 0) + quantity;
    this.#now.set({ id: newId(), ordered: all });
  }
}

const carts = new Map<string | null, StoredCart>();

/** The cart of whoever is signed in. */
export function cartOf(accountId: string | null): StoredCart {
  const cart = carts.get(accountId) ?? new StoredCart(accountId);
  carts.set(accountId, cart);
  return cart;
}

/** @param more 1, or -1 to take one out */
export function putIntoCart(sku: string, more: number): void {
  cartOf(session.get()).put(sku, more);
}

/**
 * The cart's order is over: a new cart takes its place, with what was not `ordered`. That is all of it where the order was
 * turned down, and else what was put in while the order was on its way.
 */
export function renewCart(accountId: string | null, orderKey: string, ordered: CheckOut['lines']): void {
  cartOf(accountId).renew(orderKey, ordered);
}
