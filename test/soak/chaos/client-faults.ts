import type { SoakClient } from '../stage/client.js';
import { hold, type Lane } from './lane.js';

/** What happens to the app with the outbox. */
export function clientLane(client: SoakClient): Lane {
  return {
    name: 'client',
    pauseMs: [3_000, 8_000],
    faults: [
      {
        kind: 'client killed -9',
        weight: 1,
        async inject(random) {
          await client.kill();
          await hold([0, 1_000], random);
          await client.start();
        },
      },
    ],
  };
}
