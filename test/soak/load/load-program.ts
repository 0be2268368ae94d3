import { randomUUID } from 'node:crypto';
import { randomFrom } from '@trpc-once/faulty-network';
import { parent } from '../../resources/parent.js';
import { openLog } from '../log/log.js';
import { isOutcome } from '../log/meaning.js';
import type { Sabotage } from '../sabotage.js';
import { askUntilOutcome, followUp, probe, type Sender } from './ask.js';
import { type PlannedKey, type PlannedOperation, planKey } from './operation-plan.js';
import { reporter } from './standing.js';

/** Clients without a library: a few hundred senders in one process. */

export interface LoadOrder {
  readonly name: string;
  readonly seed: number;
  readonly doors: readonly string[];
  readonly senders: number;
  readonly log: string;
  readonly sabotage?: Sabotage | undefined;
}

const {
  name,
  seed,
  doors,
  senders,
  log: path,
  sabotage,
} = JSON.parse(process.argv[2] as string) as LoadOrder;
const log = openLog(path);
const standing = reporter(parent);
let attempts = 0;
let next = 0;
let calm = false;
void parent.hear('calm', 86_400_000).then(() => {
  calm = true;
});

parent.tell('ready');
await Promise.all(Array.from({ length: senders }, send));
standing.end();
log.close();
parent.tell('done');
process.disconnect();

/** One sender: one thing after another, until it is told that no new ones are wanted. */
async function send(): Promise<void> {
  while (!calm) {
    const n = next++;
    await live(planKey(seed, name, n), {
      log,
      doors,
      random: randomFrom('sender', seed, name, n),
      nextAttempt: () => `${name}.${++attempts}`,
      newKeys: sabotage === 'new-keys',
    });
  }
}

async function live({ operations, followUps }: PlannedKey, sender: Sender): Promise<void> {
  const key = randomUUID();
  const [first] = operations as [PlannedOperation];
  if (sender.random() < 0.02) await probe(sender, first);
  const ends = await Promise.all(
    operations.map(async (operation) => {
      const { operation: named, principal, fate, path, input } = operation;
      log.write({ type: 'asked', at: Date.now(), operation: named, principal, fate, path, input });
      standing.began();
      const end = await askUntilOutcome(sender, operation, key);
      standing.ended();
      return end;
    }),
  );
  // Not where two contended: whose the key is now, only the database knows.
  if (ends.every(isOutcome)) for (const how of followUps) await followUp(sender, first, key, how);
}
