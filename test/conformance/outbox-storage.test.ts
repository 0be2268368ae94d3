import { memoryStorage } from '@trpc-once/client';
import { outboxStorageConformance } from './outbox-storage.js';

outboxStorageConformance('memory', async () => {
  // The place is the process itself: there is no other to open it again.
  const storage = memoryStorage();
  return { open: async () => storage, async [Symbol.asyncDispose]() {} };
});
