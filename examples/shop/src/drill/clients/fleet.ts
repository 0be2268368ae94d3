import { memoryStorage } from '@trpc-once/client';
import type { CleanUp } from '../clean-up.js';
import type { Damage } from '../mishaps/damage.js';
import { Milestones } from '../mishaps/milestones.js';
import type { PlannedMishap } from '../mishaps/mishap-schedule.js';
import type { Moments } from '../mishaps/moments.js';
import { runMishaps } from '../mishaps/run-mishaps.js';
import type { Plan } from '../plan.js';
import { ClientProcess } from './client-process.js';
import { drillClient } from './drill-client.js';
import { placeOrders } from './place-orders.js';
import type { Told } from './told.js';

/**
 * Orders that a client has under way: four, or fewer of many clients. All of them and the network share one process, and
 * what waits there for longer than an attempt may take is sent again, which makes everybody wait longer still.
 */
const atOnceOf = (clients: number): number => Math.min(4, Math.max(1, Math.floor(24 / clients)));

export interface FleetOptions {
  readonly plan: Plan;
  readonly url: string;
  /** When the client in a process of its own is killed, by its own progress. */
  readonly kills: readonly PlannedMishap[];
  readonly milestones: Milestones;
  readonly moments: Moments;
  readonly damage: Damage;
  readonly cleanUp: CleanUp;
  readonly onFailure: (error: Error) => void;
}

/** All clients at work: the first in a process of its own with a file outbox, the others in this one. */
export interface Fleet {
  /** Resolves when every operation has its outcome. */
  readonly done: Promise<unknown>;
  /** Stops all of them, and gives what they were told. */
  end(): Promise<readonly Told[]>;
}

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { plan, url, kills, milestones, moments, damage, cleanUp, onFailure } = options;
  const { seed, orders, clients } = plan;
  const atOnce = atOnceOf(clients);
  const told: Told[] = [];
  const ordersOf = (client: number) => plan.operations.filter((order) => order.client === client);

  const mortal = new Set(ordersOf(0).map(({ reference }) => reference));
  const known = new Milestones();
  const mortalClient = cleanUp.use(
    new ClientProcess({
      order: { seed, orders, clients, url, client: 0, atOnce },
      onTold: (reference) => {
        known.add(reference);
        milestones.add(reference);
      },
      onFailure,
    }),
  );
  await mortalClient.start();
  const allKnown = known.reached(mortal.size);
  const over = Promise.race([allKnown, moments.over]);
  const killed = runMishaps({
    ...{ schedule: kills, milestones: known, of: mortal.size, over },
    actions: {
      async 'client-killed'(afterMs) {
        // What is known is not sent any more: without an end of its own, the last kill could wait for ever.
        if (!(await moments.next(({ identity }) => mortal.has(identity), afterMs, over))) return;
        await mortalClient.kill();
        damage.clientsKilled++;
        damage.resumed += await mortalClient.start();
      },
    },
  });

  const inProcess = plan.customers
    .slice(1)
    .map(({ accountId }) => drillClient({ url, accountId, storage: memoryStorage() }));
  for (const client of inProcess) cleanUp.defer(() => client.outbox.close());
  const placed = inProcess.map((client, index) =>
    placeOrders({
      client,
      orders: ordersOf(index + 1),
      atOnce,
      onTold: (one) => {
        told.push(one);
        milestones.add(one.reference);
      },
    }),
  );
  return {
    done: Promise.all([allKnown, killed, ...placed]),
    async end() {
      await Promise.all(inProcess.map((client) => client.outbox.close()));
      await mortalClient.kill();
      return [...told, ...mortalClient.told()];
    },
  };
}
