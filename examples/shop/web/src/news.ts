import type { Operation } from '@trpc-once/client';
import { readIdempotency } from '@trpc-once/contract';
import type { Order } from '../../src/contract.js';
import { renewCart } from './cart.js';
import { StoredValue } from './stored-value.js';
import { money, turnedDown } from './words.js';

/** What came of an order, told until something else is. */
export interface News {
  readonly owner: string | null;
  /** Which order's. */
  readonly key: string;
  readonly good: boolean;
  readonly text: string;
}

/** Stored, as the cart is: the other tabs see the cart change, and are to know why. */
export const news = new StoredValue<News | null>('shop.news', null);

/** An outcome, as the client tells it. */
type Heard = { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly error: Error };

/** An order has its outcome, whoever found it out: this page, or a resume after a reload. */
export function heard({ key, owner }: Operation, outcome: Heard): void {
  const orders = outcome.ok ? (outcome.data as Order[]) : [];
  const text = outcome.ok ? placed(orders) : turnedDown(outcome.error);
  news.set({ owner, key, good: outcome.ok, text });
  // Turned away in front of the claim, nobody has looked whether it ran, and a browser may have sent it twice: the cart stays the
  // same order, so that the next tap finds out.
  if (outcome.ok || readIdempotency(outcome.error)) renewCart(owner, key, orders);
}

/** A new cart is begun: what was said of the last one's order would be read as said of this one. */
export function forgetGoodNews(): void {
  if (news.get()?.good) news.set(null);
}

function placed(orders: readonly Order[]): string {
  const total = orders.reduce((sum, { totalCents }) => sum + totalCents, 0);
  return `Order placed: ${money(total)}, charged once.`;
}
