import { useOutbox } from '@trpc-once/client/react';
import { useEffect, useState } from 'react';
import type { Order, Product } from '../../src/contract.js';
import { client } from './client.js';
import { network } from './network.js';
import { news } from './news.js';
import { products } from './products.js';
import { useStored } from './stored-value.js';

export interface ShopNow {
  readonly products: readonly Product[];
  readonly orders: readonly Order[];
  /** `undefined` until it was read. */
  readonly balanceCents: number | undefined;
  /** Whether the last look at the shop got through. */
  readonly readable: boolean;
}

const nothing: Omit<ShopNow, 'products'> = { orders: [], balanceCents: undefined, readable: true };

/** What the server says, read anew after every attempt and outcome, and when the network or the account is another. */
export function useShop(accountId: string | null): ShopNow {
  const heard = useStored(news);
  const onSale = useStored(products);
  // An attempt without an answer may be on record all the same.
  const ended = useOutbox(client.outbox).reduce((sum, { notes }) => sum + notes.length, 0);
  const mode = useStored(network);
  const [seen, see] = useState({ accountId, ...nothing });
  const [looks, setLooks] = useState(0);
  useEffect(() => {
    // Another tab may have ordered meanwhile.
    const look = () => setLooks((count) => count + 1);
    addEventListener('focus', look);
    addEventListener('online', look);
    addEventListener('storage', look);
    return () => {
      removeEventListener('focus', look);
      removeEventListener('online', look);
      removeEventListener('storage', look);
    };
  }, []);
  // Besides the account, these say only when to look again.
  useEffect(() => {
    if (accountId === null) return;
    let gone = false;
    read().then(
      (now) => gone || see({ accountId, ...now }),
      () =>
        gone ||
        see((before) => ({
          ...(before.accountId === accountId ? before : nothing),
          accountId,
          readable: false,
        })),
    );
    return () => {
      gone = true;
    };
  }, [accountId, heard, ended, mode, looks]);
  return { ...(seen.accountId === accountId ? seen : nothing), products: onSale };
}

async function read(): Promise<Omit<ShopNow, 'products'>> {
  const [onSale, { balanceCents }, orders] = await Promise.all([
    client.stock.list.query(),
    client.accounts.balance.query(),
    client.orders.list.query({ limit: 50 }),
  ]);
  products.set(onSale);
  return { balanceCents, orders, readable: true };
}
