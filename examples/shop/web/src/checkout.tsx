import { type UseOperation, useOperation } from '@trpc-once/client/react';
import type { Product } from '../../src/contract.js';
import { type Cart, cartOf, renewCart } from './cart.js';
import { client } from './client.js';
import { heard, useNews } from './news.js';
import { session } from './session.js';
import { useStored } from './stored-value.js';
import { money, turnedDown } from './words.js';

type Placing = UseOperation<typeof client.orders.checkOut>;

export interface CheckoutProps {
  readonly accountId: string;
  readonly products: readonly Product[];
}

/** The cart and its button. The cart's id names its order, so that a second tap, tab or page means the same one. */
export function Checkout({ accountId, products }: CheckoutProps) {
  const cart = useStored(cartOf(accountId));
  const placing = useOperation(client.orders.checkOut, {
    key: cart.id,
    intent: `checkout:${cart.id}`,
    // Another tab may have placed it: then this is how this one hears.
    onSettled: (outcome) => heard({ key: cart.id, owner: accountId }, outcome),
  });
  const lines = linesOf(cart, products);
  const total = lines.reduce((sum, { cents }) => sum + cents, 0);
  const place = () => {
    // Another tab has signed in as somebody else, and this one, asleep perhaps, has not heard of it yet: it shows what is
    // no longer theirs to order.
    if (session.get() !== accountId) return;
    void placing.submit({
      lines: lines.map(({ sku, quantity }) => ({ sku, quantity })),
      reference: cart.id,
    });
  };
  return (
    <section
      className="card"
      aria-labelledby="cart"
      data-state={placing.state}
      data-account={accountId}
      data-cart={cart.id}
    >
      <h2 id="cart">Cart</h2>
      {lines.length === 0 && <p className="quiet">Nothing in it yet.</p>}
      <ul className="lines">
        {lines.map(({ sku, name, quantity, cents }) => (
          <li key={sku}>
            <span className="grow">
              {quantity} × {name}
            </span>
            {money(cents)}
          </li>
        ))}
      </ul>
      <button type="button" className="main" disabled={lines.length === 0} onClick={place}>
        {lines.length === 0 ? 'Place order' : `Place order · ${money(total)}`}
      </button>
      <p className="told" aria-live="polite">
        <Told placing={placing} accountId={accountId} cartId={cart.id} />
      </p>
    </section>
  );
}

interface ToldProps {
  readonly placing: Placing;
  readonly accountId: string;
  readonly cartId: string;
}

/** What is known of the order, and nothing more. */
function Told({ placing, accountId, cartId }: ToldProps) {
  const news = useNews();
  if (placing.conflict) return <>This cart was ordered before it was changed; that order is under way.</>;
  switch (placing.state) {
    case 'idle':
    case 'settled':
      return news.owner === accountId ? (
        <span data-good={news.good} data-of={news.key}>
          {news.text}
        </span>
      ) : null;
    case 'sending':
      return <>{placing.attempts < 2 ? 'Ordering…' : `Asking for the ${nth(placing.attempts)} time…`}</>;
    case 'waiting':
      return <>No outcome yet. The same order is asked for again.</>;
    case 'unknown':
      return (
        <>
          We do not know yet whether the order went through. It is kept.{' '}
          <button type="button" onClick={() => void placing.resume()}>
            Ask again
          </button>
        </>
      );
    case 'parked':
      return <>The order is kept, and goes on when you have signed in again.</>;
    case 'expired':
      return <>This order is too old to be asked for: look for it among your orders.</>;
    case 'refused':
      return (
        <>
          <span data-good={false} data-of={cartId}>
            {turnedDown(placing.error)}
          </span>{' '}
          <button type="button" onClick={() => renewCart(accountId, cartId, false)}>
            Order it anew
          </button>
        </>
      );
  }
}

function nth(attempt: number): string {
  return ['', 'first', 'second', 'third', 'fourth', 'fifth'][attempt] ?? `${attempt}th`;
}

function linesOf({ lines }: Cart, products: readonly Product[]) {
  return products.flatMap(({ sku, name, priceCents }) => {
    const quantity = lines[sku] ?? 0;
    return quantity > 0 ? [{ sku, name, quantity, cents: quantity * priceCents }] : [];
  });
}
