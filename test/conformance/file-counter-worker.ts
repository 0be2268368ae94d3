import { parentPort, workerData } from 'node:worker_threads';
import { fileStorage } from '@trpc-once/client/file';

// Counts a record up for ever, in a thread that is terminated while it does.
const { directory, shared } = workerData as { directory: string; shared: boolean };
const storage = fileStorage(directory, { shared });
for (let count = 0; ; ) {
  const former = (await storage.get('counter'))?.text;
  if (await storage.swap('counter', former, String(Number(former ?? 0) + 1))) count += 1;
  if (count === 3) parentPort?.postMessage('counts');
}
