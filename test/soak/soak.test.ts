import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Plan } from './plan.js';
import { runSoak } from './run-soak.js';

/** Small, because other tests share the machine; `npm run soak` runs it for as long and as hard as one likes. */
const small: Plan = { chaosMs: 20_000, seed: 1, servers: 3, inFlight: 60, connections: 10, calmMs: 60_000 };

test('servers, Redis, Postgres, connections and clients fail for 20 seconds, and every operation takes effect once and comes to one outcome', async () => {
  const { findings, found, injected, directory } = await runSoak(small);
  expect(findings.map(({ rule, what }) => `${rule}: ${what}`)).toEqual([]);
  expect(found.evidence.ledger.length).toBeGreaterThan(20);
  expect(injected.length).toBeGreaterThan(10);
  rmSync(directory, { recursive: true });
}, 240_000);

test('records that fence nobody are found out', async () => {
  const { findings, directory } = await runSoak({
    ...small,
    chaosMs: 6_000,
    servers: 2,
    sabotage: 'no-fence',
  });
  expect(findings.map(({ rule }) => rule)).toContain('second effect');
  rmSync(directory, { recursive: true });
}, 240_000);
