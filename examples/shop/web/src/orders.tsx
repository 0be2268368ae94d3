import type { Order } from '../../src/contract.js';
import { inWords } from './products.js';
import { money } from './words.js';

export interface OrdersProps {
  readonly orders: readonly Order[];
  readonly readable: boolean;
}

/** How many are shown. */
const SHOWN = 8;

/** What the shop has on record: the proof of what the outbox says. */
export function Orders({ orders, readable }: OrdersProps) {
  return (
    <section className="card record" aria-labelledby="orders">
      <h2 id="orders">Orders on record</h2>
      <p className="quiet">
        {readable
          ? 'Read from the shop past the broken network, to compare.'
          : 'As the shop said last, if it could be asked.'}
      </p>
      {readable && orders.length === 0 && <p>None yet.</p>}
      <ul className="lines">
        {orders.slice(0, SHOWN).map((order) => (
          <li key={order.id} data-order={order.id}>
            <time className="quiet" dateTime={order.placedAt}>
              {new Date(order.placedAt).toLocaleTimeString('en-GB')}
            </time>
            <span className="grow">{inWords([order])}</span>
            {money(order.totalCents)}
          </li>
        ))}
      </ul>
    </section>
  );
}
