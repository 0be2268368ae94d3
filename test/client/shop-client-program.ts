import { createIdempotentClient, keyOf } from '@trpc-once/client';
import { fileStorage } from '@trpc-once/client/file';
import { parent } from '../resources/parent.js';
import { shop } from './shop-contract.js';

// A process with the shop's client over files: it resumes as soon as it starts, and does what its test tells it to.
const [url = '', directory = '', sharing] = process.argv.slice(2);
const client = createIdempotentClient({
  contract: shop,
  url,
  owner: () => 'ann',
  storage: fileStorage(directory, { shared: sharing === 'shared' }),
  onSettled: ({ key, attempts }, outcome) => parent.tell('onSettled', { key, attempts, outcome }),
});
client.outbox.subscribe(({ type, operation }) => parent.tell(type, operation.key));
process.once('SIGTERM', async () => {
  await client.outbox.close();
  process.exit(0);
});
parent.tell(
  'ready',
  (await client.outbox.list()).map(({ key }) => key),
);
for (;;) {
  const intent = await parent.hear<string>('place', 120_000);
  client.orders.place.mutate({ sku: intent }, { intent }).then(
    (order) => parent.tell('placed', order),
    (error: Error) => parent.tell('not placed', { name: error.name, key: keyOf(error) }),
  );
}
