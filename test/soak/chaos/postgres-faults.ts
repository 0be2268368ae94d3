import type { Direction } from '@trpc-once/faulty-network';
import { pick } from '../draw.js';
import type { Stage } from '../stage/open-stage.js';
import { type Fault, hold, type Lane } from './lane.js';
import { lineFaults } from './line-faults.js';

/** What happens to Postgres, and between it and the servers. */
export function postgresLane({ postgres, servers, db }: Stage): Lane {
  const lines = servers.map((server) => server.lines.postgres);
  const aroundCommit = (kind: string, direction: Direction): Fault => ({
    kind,
    weight: 4,
    async inject(random) {
      for (let left = 1 + Math.floor(random() * 5); left > 0; left--)
        await Promise.race([pick(lines, random).cutBefore('COMMIT', direction), hold([500, 500], random)]);
    },
  });
  return {
    name: 'postgres',
    pauseMs: [300, 2_500],
    faults: [
      ...lineFaults({ to: 'Postgres', lines, cutWithinBytes: 8_000, slowMs: [10, 150] }),
      aroundCommit('Postgres: COMMITs lost', 'to-upstream'),
      aroundCommit('Postgres: answers to COMMIT lost', 'to-client'),
      {
        kind: 'Postgres: restarted (immediate)',
        weight: 2,
        inject: () => postgres.restart({ mode: 'immediate' }),
      },
      { kind: 'Postgres: restarted (fast)', weight: 1, inject: () => postgres.restart({ mode: 'fast' }) },
      {
        kind: 'Postgres: frozen',
        weight: 1,
        async inject(random) {
          postgres.pause();
          await hold([500, 2_500], random);
          postgres.resume();
        },
      },
      {
        kind: 'Postgres: sessions terminated',
        weight: 2,
        async inject(random) {
          await db.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND random() < $1`,
            [0.2 + 0.6 * random()],
          );
        },
      },
    ],
  };
}
