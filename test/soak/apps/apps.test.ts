import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type AppsPlan, runApps } from './run-apps.js';

/** Small, because other tests share the machine; `npm run soak -- apps` runs it for as long and as hard as one likes. */
const small: AppsPlan = { chaosMs: 9_000, seed: 1, fleet: 'small', calmMs: 90_000 };

test('processes with outboxes are killed and frozen for 9 seconds, and every operation has one key, one effect and its outcome', async () => {
  const { findings, found, injected, directory } = await runApps(small);
  expect(findings.map(({ rule, what }) => `${rule}: ${what}`)).toEqual([]);
  expect(found.evidence.ledger.length).toBeGreaterThan(10);
  expect(injected.length).toBeGreaterThan(5);
  rmSync(directory, { recursive: true });
}, 240_000);
