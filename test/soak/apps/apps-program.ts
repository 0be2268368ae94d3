/** `npm run soak -- apps`: see ./apps-arguments.ts for what it takes. */
import { rmSync } from 'node:fs';
import { counted, line } from '../report/table.js';
import { appsUsage, readAppsArguments } from './apps-arguments.js';
import { runApps } from './run-apps.js';

/** Of each kind so many are shown in full; the first ones tell most. */
const SHOWN = 3;

/** @returns the exit code */
export async function soakApps(args: readonly string[], signal: AbortSignal): Promise<number> {
  const plan = readAppsArguments(args);
  if (plan === 'help') {
    console.log(appsUsage);
    return 0;
  }
  const { seed, fleet, chaosMs, sabotage } = plan;
  console.log(
    `The fleet: ${fleet}, ${chaosMs / 60_000} min of faults, seed ${seed}${sabotage ? `, sabotaged: ${sabotage}` : ''}`,
  );
  const { found, findings, injected, calmMs, directory } = await runApps(plan, signal);
  const { entries, keys, evidence } = found;
  const rows = (title: string, of: readonly string[]) =>
    console.log([`\n${title}`, ...counted(of).map(line)].join('\n'));
  rows(
    'Noted',
    entries.map((entry) =>
      entry.type === 'ended' ? `ended: ${entry.error} ${entry.reason ?? ''}` : entry.type,
    ),
  );
  rows(
    'Faults',
    injected.map(({ kind }) => kind),
  );
  console.log(
    `\n${keys.length} keys, ${evidence.ledger.length} effects; all over ${calmMs.toFixed(0)} ms after the last fault`,
  );
  rows(
    'Violations',
    findings.map(({ rule }) => rule),
  );
  const shown = new Map<string, number>();
  for (const { rule, what } of findings) {
    const count = (shown.get(rule) ?? 0) + 1;
    shown.set(rule, count);
    if (count <= SHOWN) console.log(`\nVIOLATION (${rule}), seed ${seed}: ${what}`);
  }
  if (findings.length > 0) {
    console.log(`\n${findings.length} violations. All logs: ${directory}`);
    return 1;
  }
  rmSync(directory, { recursive: true });
  console.log('The promise was kept.');
  return 0;
}
