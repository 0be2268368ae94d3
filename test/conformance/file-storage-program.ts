import { isOutboxStorageError } from '@trpc-once/client';
import { fileStorage } from '@trpc-once/client/file';
import { parent } from '../resources/parent.js';

// Takes a directory, keeps one text in it, and lets go when it is asked to end.
const storage = fileStorage(process.argv[2] ?? '');
process.once('SIGTERM', async () => {
  await storage.close?.();
  process.exit(0);
});
try {
  await storage.set('from the program', 'kept');
  parent.tell('ready', {});
} catch (error) {
  parent.tell('ready', { refused: isOutboxStorageError(error) ? error.reason : String(error) });
}
await parent.hear('end', 60_000);
