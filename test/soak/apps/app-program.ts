import { setTimeout as delay } from 'node:timers/promises';
import { randomFrom } from '@trpc-once/faulty-network';
import { parent } from '../../resources/parent.js';
import { reporter } from '../load/standing.js';
import { openLog, readLog } from '../log/log.js';
import { App } from './app.js';
import { AppLife } from './app-life.js';
import { type AppOrder, logOf, ownersOf } from './app-order.js';

/** A process of the fleet: lives until it is killed, or told that it is calm; then it sees everything to its end. */

const order = JSON.parse(process.argv[2] as string) as AppOrder;
const { seed, name, directory, group } = order;
const path = logOf(directory, name);
const earlier = readLog(path);
const log = openLog(path);
const random = randomFrom('app', seed, name, earlier.length);
const standing = reporter(parent);
let calm = false;
void parent.hear('calm', 86_400_000).then(() => {
  calm = true;
});

const app = new App(order, log, random);
const life = new AppLife({ app, random, earlier, standing, calm: () => calm });
parent.tell('ready');
await life.live();
await comeToAnEnd();
standing.end();
log.close();
parent.tell('done');
process.disconnect();

/** Everybody signs in once more, and stays until nothing is left. */
async function comeToAnEnd(): Promise<void> {
  for (const owner of ownersOf(group)) {
    await app.change(owner, 'at once');
    for (let left = await app.list(); left.length > 0; left = await app.list()) {
      await app.outbox.resume().catch(() => {});
      for (const { key, parked, lane } of left)
        if (parked === 'lane-halted' && lane !== undefined) await app.goOn(key, lane);
      await delay(200);
    }
  }
  await app.outbox.close();
}
