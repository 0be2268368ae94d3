import type { SoakServer } from '../stage/server.js';
import { hold, type Lane } from './lane.js';

/** Longer than the lease, and then some: a frozen process comes back to find that others went on without it. */
const FROZEN_MS = [1_200, 3_500] as const;

/** What happens to one server's process. */
export function serverLane(server: SoakServer, index: number): Lane {
  return {
    name: `server ${index}`,
    pauseMs: [2_000, 9_000],
    faults: [
      {
        kind: 'server killed -9',
        weight: 4,
        async inject(random) {
          await server.kill();
          await hold([0, 1_000], random);
          await server.start();
        },
      },
      {
        kind: 'server frozen past the lease',
        weight: 4,
        async inject(random) {
          server.pause();
          await hold(FROZEN_MS, random);
          server.resume();
        },
      },
      {
        kind: 'server frozen, then killed -9',
        weight: 1,
        async inject(random) {
          server.pause();
          await hold(FROZEN_MS, random);
          await server.kill();
          await server.start();
        },
      },
      {
        kind: 'server stopped',
        weight: 1,
        async inject() {
          await server.stop();
          await server.start();
        },
      },
    ],
  };
}
