import type { Operation } from '@trpc-once/client';
import { useSyncExternalStore } from 'react';
import type { Order } from '../../src/contract.js';
import { renewCart } from './cart.js';
import { money, turnedDown } from './words.js';

/** What came of an order, told until something else is. */
export interface News {
  readonly owner: string | null;
  /** Which order's. */
  readonly key: string;
  readonly good: boolean;
  readonly text: string;
  /** Counts outcomes, so that what the server shows is read anew after each. */
  readonly number: number;
}

/** An outcome, as the client and the hook tell it. */
type Heard = { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly error: Error };

let news: News = { owner: null, key: '', good: true, text: '', number: 0 };
const listeners = new Set<() => void>();

/** An order has its outcome, whoever found it out: the page, or a resume after a reload. */
export function heard({ key, owner }: Pick<Operation, 'key' | 'owner'>, outcome: Heard): void {
  renewCart(owner, key, outcome.ok);
  const text = outcome.ok ? placed(outcome.data as Order[]) : turnedDown(outcome.error);
  news = { owner, key, good: outcome.ok, text, number: news.number + 1 };
  for (const listener of [...listeners]) listener();
}

export function useNews(): News {
  return useSyncExternalStore(subscribe, () => news);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function placed(orders: readonly Order[]): string {
  const total = orders.reduce((sum, { totalCents }) => sum + totalCents, 0);
  return `Order placed: ${money(total)}, charged once.`;
}
