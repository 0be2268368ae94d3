import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Shop, type ShopOptions, startShop } from '../server/start-shop.js';
import { CannotBeginError } from './cannot-begin-error.js';
import { visitor } from './stage/open-accounts.js';

export interface ServeOptions {
  readonly stores: ShopOptions['stores'];
  readonly port: number;
  /** Whether somebody named this port: then no other will do. */
  readonly portAsked: boolean;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** Serves the shop until the signal, over what the drill has left. */
export async function serveShop({ stores, port, portAsked, signal, say }: ServeOptions): Promise<void> {
  await using shop = await startAt({ stores, port, portAsked, say });
  say(invitation(shop.url));
  if (!signal.aborted) await once(signal, 'abort');
  say('\nClosed.');
}

async function startAt({ stores, port, portAsked, say }: Omit<ServeOptions, 'signal'>): Promise<Shop> {
  try {
    return await startShop({ stores, port });
  } catch (error) {
    if (!isTaken(error) || portAsked) throw error;
    say(`\nPort ${port} is taken, so the shop takes a free one.`);
    return startShop({ stores });
  }
}

/** @throws CannotBeginError when somebody listens there: better said before the drill than after it. */
export async function mustBeFree(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw isTaken(error) ? new CannotBeginError(`port ${port}, which PORT asks for, is taken`) : error;
  }
  server.close();
  await once(server, 'close');
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
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
