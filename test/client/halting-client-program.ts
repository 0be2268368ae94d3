import { join } from 'node:path';
import { parent } from '../resources/parent.js';
import { booking, haltingClient } from './halting-client.js';

// A process with one client for each await of an operation's path, halted there, each over files of its own.
const [url = '', directory = '', shared = ''] = process.argv.slice(2);
parent.tell('ready');
const points = await parent.hear<{ name: string; at: number; moment: 'before' | 'after' }[]>('halt at');
await Promise.all(
  points.map(({ name, ...halt }) => {
    const { client, halted } = haltingClient(url, join(directory, name), shared === 'shared', halt);
    client.book.mutate(booking(), { intent: 'book' }).then(
      () => parent.tell('heard', name),
      () => parent.tell('heard', name),
    );
    return halted;
  }),
);
// Whatever did not wait for what halted has had its time.
for (let n = 0; n < 3; n += 1) await (await fetch(new URL('/portal', url))).text();
parent.tell('all halted');
setInterval(() => {}, 1_000);
