import type { IdempotentClient } from '@trpc-once/client';
import { type UseOperation, type UseOperationOptions, useOperation } from '@trpc-once/client/react';
import type { shop } from '../client/shop-contract.js';

export type Client = IdempotentClient<typeof shop>;
export type Placing = UseOperation<Client['orders']['place']>;

export interface CheckoutProps extends UseOperationOptions<any, any> {
  readonly client: Client;
  readonly sku?: string;
  /** What it calls its operation, where that holds a key: React keeps a property of that name to itself. */
  readonly name?: Pick<UseOperationOptions<any, any>, 'intent' | 'key'>;
  /** Hears of every render. */
  readonly onRender?: (placing: Placing) => void;
}

/** What an app would write: it shows where the order stands, and offers what can be done. */
export function Checkout({ client, sku = 'tea', name, onRender, ...options }: CheckoutProps) {
  const placing = useOperation(client.orders.place, { ...options, ...name });
  onRender?.(placing);
  return (
    <section>
      <p>{told(placing)}</p>
      <button type="button" onClick={() => void placing.submit({ sku })}>
        place
      </button>
      <button type="button" onClick={() => void placing.submit({ sku: 'milk' })}>
        place milk
      </button>
      <button type="button" onClick={() => void placing.resume()}>
        resume
      </button>
      <button type="button" onClick={placing.reset}>
        reset
      </button>
    </section>
  );
}

function told(placing: Placing): string {
  const { state, attempts, conflict } = placing;
  const more = conflict ? ', and that was another order' : '';
  if (state === 'settled' && placing.outcome.ok) return `settled after ${attempts}${more}`;
  if (state === 'settled' && !placing.outcome.ok) return `turned down: ${placing.outcome.declared?.name}`;
  if (state === 'refused') return `refused: ${placing.error.name}`;
  if (state === 'parked') return `parked: ${placing.reason}`;
  return `${state} ${attempts}${more}`;
}
