import { hold, type Lane } from '../chaos/lane.js';
import type { AppProcess } from './fleet.js';

/** Longer than the nine seconds of an outbox's lease: it comes back to find that another process went on without it. */
const PAST_LEASE_MS = [9_500, 11_500] as const;

/** What happens to one process of the fleet. */
export function appLane(app: AppProcess): Lane {
  const kill = async () => {
    await app.kill();
  };
  return {
    name: `app ${app.order.name}`,
    pauseMs: [1_500, 7_000],
    faults: [
      {
        kind: 'app killed -9',
        weight: 6,
        async inject(random) {
          await kill();
          await hold([0, 1_500], random);
          await app.start();
        },
      },
      {
        kind: 'app frozen',
        weight: 3,
        async inject(random) {
          app.pause();
          await hold([100, 3_000], random);
          app.resume();
        },
      },
      {
        kind: 'app frozen past its lease',
        weight: 2,
        async inject(random) {
          app.pause();
          await hold(PAST_LEASE_MS, random);
          app.resume();
        },
      },
      {
        kind: 'app frozen, then killed -9',
        weight: 1,
        async inject(random) {
          app.pause();
          await hold([500, 4_000], random);
          await kill();
          await app.start();
        },
      },
    ],
  };
}
