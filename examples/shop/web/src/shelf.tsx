import type { Product } from '../../src/contract.js';
import { cartOf, putIntoCart } from './cart.js';
import { forgetGoodNews } from './news.js';
import { session } from './session.js';
import { useStored } from './stored-value.js';
import { money } from './words.js';

export interface ShelfProps {
  readonly products: readonly Product[];
  /** Whether the shop can be reached. */
  readonly readable: boolean;
}

export function Shelf({ products, readable }: ShelfProps) {
  const { lines } = useStored(cartOf(session.get()));
  return (
    <section className="card" aria-labelledby="shelf">
      <h2 id="shelf">On the shelf</h2>
      {!readable && (
        <p className="quiet">
          The shop cannot be reached{products.length > 0 ? '; this is how it was.' : ' at the moment.'}
        </p>
      )}
      <ul className="shelf">
        {products.map(({ sku, name, priceCents, left }) => (
          <li key={sku}>
            <span className="grow">
              {name}
              <small className="quiet">
                {money(priceCents)}
                {left < 10 && (left === 0 ? ' · sold out' : ` · ${left} left`)}
              </small>
            </span>
            <Stepper
              name={name}
              value={lines[sku] ?? 0}
              onChange={(more) => {
                forgetGoodNews();
                putIntoCart(sku, more);
              }}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface StepperProps {
  readonly name: string;
  readonly value: number;
  onChange(more: number): void;
}

function Stepper({ name, value, onChange }: StepperProps) {
  return (
    <span className="stepper">
      <button
        type="button"
        aria-label={`One ${name} less`}
        aria-disabled={value === 0}
        onClick={() => value > 0 && onChange(-1)}
      >
        −
      </button>
      <output aria-label={`${name} in the cart`}>{value}</output>
      <button type="button" aria-label={`One ${name} more`} onClick={() => onChange(1)}>
        +
      </button>
    </span>
  );
}
