import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ShopOptions, startShop } from '../server/start-shop.js';
import { startAt, type WhereToServe } from '../server/where-to-serve.js';
import { visitor } from './stage/open-accounts.js';

export interface ServeOptions extends WhereToServe {
  readonly stores: ShopOptions['stores'];
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** Serves the shop until the signal, over what the drill has left. */
export async function serveShop({ stores, port, portAsked, signal, say }: ServeOptions): Promise<void> {
  await using shop = await startAt({ port, portAsked, say }, (at) => startShop({ stores, port: at }));
  say(invitation(shop.url));
  if (!signal.aborted) await once(signal, 'abort');
  say('\nClosed.');
}

function invitation(url: string): string {
  // Of its own for each run, so that yesterday's outcome is not today's.
  const key = `first-order-${randomBytes(3).toString('hex')}`;
  const call = (input: object) =>
    `  curl -si ${url}/orders.place -H 'Authorization: Bearer ${visitor.id}' \\
    -H 'Content-Type: application/json' -H 'Idempotency-Key: ${key}' \\
    -d '${JSON.stringify(input)}'`;
  return `
The shop is open at ${url}, for curl (its page: npm run shop), and ${visitor.id} has ${(visitor.balanceCents / 100).toFixed(2)} to spend. Ctrl-C closes it.

Place an order. Run it twice: the second answer is the first one again, marked Idempotency-Replayed: true.

${call({ sku: 'tea-green', quantity: 2 })}

The same key with another order is refused (422), because it cannot be meant.

${call({ sku: 'tea-green', quantity: 3 })}

What ${visitor.id} has left: charged once.

  curl -s ${url}/accounts.balance -H 'Authorization: Bearer ${visitor.id}'
`;
}
