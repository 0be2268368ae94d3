/** What docs/react.md shows. */

// #region readme
import type { ParkReason } from '@trpc-once/client';
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
    case 'parked':
      return (
        <p>
          {keptUntil[placing.reason] ?? 'Kept, and goes on by itself.'}
          {placing.reason !== 'server-changed' && (
            <button type="button" onClick={placing.resume}>
              Ask again
            </button>
          )}
        </p>
      );
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

/** Those that somebody has to do something about; the others go on by themselves. */
const keptUntil: { readonly [R in ParkReason]?: string } = {
  unauthorized: 'Kept until you have signed in again.',
  declined: 'Kept: the shop would not look just now whether it was placed.',
  'path-gone': 'Kept: reload the page to go on.',
  'lane-halted': 'Kept: what had to come first did not happen.',
  'server-changed': 'Kept for the shop that it was made for; this is another one.',
};
