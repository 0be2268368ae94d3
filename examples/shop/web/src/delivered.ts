import type { Operation } from '@trpc-once/client';
import { useSyncExternalStore } from 'react';
import { client } from './client.js';

/** How many are shown. */
const KEPT = 4;

let delivered: readonly Operation[] = [];
const listeners = new Set<() => void>();

// The outbox forgets an operation with its outcome; people like to see how it went.
client.outbox.subscribe(({ type, operation }) => {
  if (type !== 'delivered') return;
  delivered = [operation, ...delivered.filter(({ key }) => key !== operation.key)].slice(0, KEPT);
  for (const listener of [...listeners]) listener();
});

/** The operations whose outcome this page has heard, the newest first. */
export function useDelivered(): readonly Operation[] {
  return useSyncExternalStore(subscribe, () => delivered);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
