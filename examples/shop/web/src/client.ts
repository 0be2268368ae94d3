import { createIdempotentClient, indexedDbStorage } from '@trpc-once/client';
import { shop } from '../../src/contract.js';
import { renewCart } from './cart.js';
import { fetchThroughNetwork } from './network.js';
import { heard } from './news.js';
import { orderedLines } from './ordered-lines.js';
import { session } from './session.js';

/** The whole set-up: what the server shares, who is signed in, and where operations are kept. */
export const client = createIdempotentClient({
  contract: shop,
  url: new URL('/trpc', location.href),
  owner: () => session.get(),
  headers: ({ owner }): Record<string, string> =>
    owner === null ? {} : { authorization: `Bearer ${owner}` },
  storage: indexedDbStorage(),
  fetch: fetchThroughNetwork,
  // Somebody watches this page: it asks again soon, and says soon that it does not know.
  retry: { maxAttempts: 5, minDelayMs: 400, maxDelayMs: 4_000 },
  // Also of what was under way when the page was closed, or when its owner was not here. First, so that a page that is
  // killed in between is told again, and its cart does not stay full.
  onSettled: heard,
  settledFirst: 'onSettled',
});

// The outbox goes on by itself when the page is shown or online again. Who signed in, here or in another tab, it is told.
session.subscribe(() => void client.outbox.resume().catch(() => {}));

// Whoever dismisses an order has looked it up. Its cart must not be ordered again under a key that the shop has forgotten.
client.outbox.subscribe(({ type, operation }) => {
  if (type === 'dismissed') renewCart(operation.owner, operation.key, orderedLines(operation));
});
