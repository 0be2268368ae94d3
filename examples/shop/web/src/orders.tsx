import type { Order, Product } from '../../src/contract.js';
import { money } from './words.js';

/** What the shop has on record: the proof of what the outbox says. */
export function Orders({
  orders,
  products,
}: {
  readonly orders: readonly Order[];
  readonly products: readonly Product[];
}) {
  const nameOf = (sku: string) => products.find((product) => product.sku === sku)?.name ?? sku;
  return (
    <section className="card" aria-labelledby="orders">
      <h2 id="orders">Orders on record</h2>
      {orders.length === 0 && <p className="quiet">None yet.</p>}
      <ul className="lines">
        {orders.map(({ id, sku, quantity, totalCents, placedAt }) => (
          <li key={id} data-order={id}>
            <time className="quiet" dateTime={placedAt}>
              {new Date(placedAt).toLocaleTimeString('en-GB')}
            </time>
            <span className="grow">
              {quantity} × {nameOf(sku)}
            </span>
            {money(totalCents)}
          </li>
        ))}
      </ul>
    </section>
  );
}
