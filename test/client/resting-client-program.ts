import { createIdempotentClient } from '@trpc-once/client';
import { fileStorage } from '@trpc-once/client/file';
import { parent } from '../resources/parent.js';
import { shop } from './shop-contract.js';

// A process that has given up on an operation, closes nothing, and has nothing else to do.
const [url = '', directory = ''] = process.argv.slice(2);
const client = createIdempotentClient({
  contract: shop,
  url,
  owner: () => 'ann',
  storage: fileStorage(directory),
  retry: { maxAttempts: 1 },
  onSettled: () => {},
});
const gaveUp = await client.orders.place.mutate({ sku: 'tea' }).catch((error: Error) => error.name);
parent.tell('ready', gaveUp);
