/** Taps "Place order" twice and tells what became of it: a client as a Node program, whose outbox outlives it. */
import { fileURLToPath } from 'node:url';
import { createIdempotentClient, isOutcomeUnknown } from '@trpc-once/client';
import { fileStorage } from '@trpc-once/client/file';
import { shop } from './contract.js';

const client = createIdempotentClient({
  contract: shop,
  url: `http://localhost:${process.env['PORT'] ?? 3000}`,
  owner: () => 'ann',
  storage: fileStorage(process.env['OUTBOX'] ?? fileURLToPath(new URL('../.outbox', import.meta.url)), {
    shared: true, // two of these may run at once
  }),
  headers: () => ({ authorization: 'Bearer ann' }),
});
let seen = 0;
client.outbox.subscribe(({ type, operation: { key, attempts, notes } }) => {
  // A state is told again when storage has it.
  if (type !== 'sending' || attempts <= seen) return;
  const before = notes.at(-1);
  console.log(`Operation ${key}, attempt ${attempts}${before ? `; the one before: ${before.ended}` : ''}`);
  seen = attempts;
});

const tap = () =>
  client.orders.place.mutate({ sku: 'tea', quantity: 1 }, { intent: 'checkout:my-cart', waitMs: 60_000 });
try {
  const [first, second] = await Promise.all([tap(), tap()]);
  console.log(`Order ${first.id} is placed; the second tap was told order ${second.id}.`);
} catch (error) {
  console.log(
    isOutcomeUnknown(error)
      ? 'No answer yet. The order is kept: run this again, and it is asked for with the same key.'
      : `It was not placed: ${(error as Error).message}`,
  );
  process.exitCode = 1;
}
await client.outbox.close();
