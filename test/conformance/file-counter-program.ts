import { fileStorage } from '@trpc-once/client/file';
import { parent } from '../resources/parent.js';

// Counts a shared record up, so often or until it is ended, each time from what it finds.
const [, , directory = '', times = '0'] = process.argv;
const storage = fileStorage(directory, { shared: true });
let swaps = 0;
const count = async () => {
  const former = (await storage.get('counter'))?.text;
  if (await storage.swap('counter', former, String(Number(former ?? 0) + 1))) swaps += 1;
};
if (times === 'for ever') {
  await count();
  parent.tell('ready', { swaps });
  for (;;) await count();
}
while (swaps < Number(times)) await count();
parent.tell('ready', { swaps });
await parent.hear('end', 60_000);
