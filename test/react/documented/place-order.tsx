/** What docs/react.md shows. */

// #region readme
import { useOperation } from '@trpc-once/client/react';
import { client } from './client.js';

interface PlaceOrderProps {
  readonly cart: { readonly id: string; readonly sku: string; readonly quantity: number };
  startNewCart(): void; // with another id
}

export function PlaceOrder({ cart, startNewCart }: PlaceOrderProps) {
  const placing = useOperation(client.orders.place, {
    key: cart.id, // or intent: `checkout:${cart.id}`, or neither: see below
  });
  const place = () => placing.submit({ sku: cart.sku, quantity: cart.quantity });
  switch (placing.state) {
    case 'idle':
      return (
        <button type="button" onClick={place}>
          Place order
        </button>
      );
    case 'sending':
      return <p>Ordering…</p>;
    case 'waiting':
      return <p>No answer yet, after {placing.attempts} attempts. Asking again by itself.</p>;
    case 'unknown': // not "failed": nobody knows yet
      return (
        <button type="button" onClick={placing.resume}>
          Not known yet, and kept. Ask again
        </button>
      );
    case 'parked': // placing.reason says until what
      return <p>Kept until you have signed in again.</p>;
    case 'expired':
      return <p>Too long ago to ask: look for it among your orders.</p>;
    case 'refused': // nothing of it happened
      return (
        <button type="button" onClick={place}>
          It was not placed: {placing.error.message}. Place order
        </button>
      );
    case 'settled': {
      const { outcome } = placing;
      const told = outcome.ok
        ? `Order ${outcome.data.id} is placed.`
        : outcome.declared?.name === 'OUT_OF_STOCK'
          ? `${outcome.declared.data.sku} is sold out.`
          : `It was not placed: ${outcome.error.message}`;
      return (
        <button type="button" onClick={startNewCart}>
          {told} Go on
        </button>
      );
    }
  }
}
// #endregion
