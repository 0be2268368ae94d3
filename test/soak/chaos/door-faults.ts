import type { Stage } from '../stage/open-stage.js';
import type { Lane } from './lane.js';
import { lineFaults } from './line-faults.js';

/** What happens between clients and servers. */
export function doorLane({ servers }: Stage): Lane {
  const lines = servers.map((server) => server.lines.door);
  return {
    name: 'doors',
    pauseMs: [1_000, 4_000],
    faults: lineFaults({ to: 'clients', lines, cutWithinBytes: 6_000, slowMs: [50, 400] }),
  };
}
