import { useOperation, useOutbox } from '@trpc-once/client/react';
import type { Order, Product } from '../../src/contract.js';
import { type Cart, cartOf, renewCart } from './cart.js';
import { client } from './client.js';
import { MainButton } from './main-button.js';
import { orderedLines } from './ordered-lines.js';
import { inWords } from './products.js';
import { session } from './session.js';
import { useStored } from './stored-value.js';
import { Told } from './told.js';
import { money } from './words.js';

export interface CheckoutProps {
  readonly accountId: string;
  readonly products: readonly Product[];
  readonly orders: readonly Order[];
}

/** The cart and its button. The cart's id is its order's key: a second tap, tab or page means the same order. */
export function Checkout({ accountId, products, orders }: CheckoutProps) {
  const cart = useStored(cartOf(accountId));
  const placing = useOperation(client.orders.checkOut, { key: cart.id });
  const pending = useOutbox(client.outbox).find(({ key }) => key === cart.id);
  const lines = linesOf(cart, products);
  const input = { lines: lines.map(({ sku, quantity }) => ({ sku, quantity })), reference: cart.id };
  const ordered = pending && inWords(orderedLines(pending));
  // An order of this cart is in storage, and nobody can read what became of it.
  const isDamaged =
    placing.state === 'idle' && client.outbox.damaged().some(({ id }) => id.includes(cart.id));
  const startAnew = () =>
    isDamaged ? renewCart(accountId, cart.id, input.lines) : void client.outbox.dismiss(cart.id);
  const place = () => {
    // Another tab has signed in as somebody else, and this one, asleep perhaps, has not heard of it yet: it shows what is
    // no longer theirs to order.
    if (session.get() === accountId) void placing.submit(input);
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
      <MainButton
        placing={placing}
        isDamaged={isDamaged}
        isEmpty={lines.length === 0}
        cents={lines.reduce((sum, { cents }) => sum + cents, 0)}
        place={place}
        startAnew={startAnew}
      />
      {/* Always there, so that what changes in it is read aloud. */}
      <div className="told" role="status">
        <Told
          placing={placing}
          accountId={accountId}
          cartId={cart.id}
          isDamaged={isDamaged}
          isOnRecord={orders.some(({ reference }) => reference?.startsWith(`${cart.id}/`))}
          mayHaveRun={pending?.mayHaveRun !== false}
        />
        {ordered && ordered !== inWords(input.lines) && (
          <p className="quiet">Ordered was {ordered}. What you changed since stays in the cart.</p>
        )}
      </div>
    </section>
  );
}

function linesOf({ lines }: Cart, products: readonly Product[]) {
  return products.flatMap(({ sku, name, priceCents }) => {
    const quantity = lines[sku] ?? 0;
    return quantity > 0 ? [{ sku, name, quantity, cents: quantity * priceCents }] : [];
  });
}
