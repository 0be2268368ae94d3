/** `npm run soak`: see ./arguments.ts for what it takes. */
import { rmSync } from 'node:fs';
import { soakApps } from './apps/apps-program.js';
import { ArgumentError, readArguments, usage } from './arguments.js';
import type { Plan } from './plan.js';
import { progressLine } from './report/progress.js';
import { soakTable } from './report/table.js';
import { type Progress, runSoak } from './run-soak.js';

/** Of each kind so many are shown in full; the first ones tell most. */
const SHOWN = 5;

const PROGRESS_MS = 3_000;

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => interruption.abort(new Error(`interrupted by ${signal}`)));

try {
  const [what, ...rest] = process.argv.slice(2);
  if (what === 'apps') process.exitCode = await soakApps(rest, interruption.signal);
  else {
    const plan = readArguments(process.argv.slice(2));
    if (plan === 'help') console.log(usage);
    else process.exitCode = await soak(plan);
  }
} catch (error) {
  process.exitCode = interruption.signal.aborted ? 130 : error instanceof ArgumentError ? 2 : 1;
  console.error(error instanceof ArgumentError ? error.message : error);
}

async function soak(plan: Plan): Promise<number> {
  const { seed, servers, inFlight, chaosMs, sabotage } = plan;
  console.log(
    `The soak: ${servers} servers, ${inFlight} operations under way, ${chaosMs / 60_000} min of faults, seed ${seed}${sabotage ? `, sabotaged: ${sabotage}` : ''}`,
  );
  const run = await runSoak(plan, { signal: interruption.signal, onProgress: printed() });
  console.log(`\n${soakTable(plan, run)}\n`);
  const shown = new Map<string, number>();
  for (const { rule, what } of run.findings) {
    const count = (shown.get(rule) ?? 0) + 1;
    shown.set(rule, count);
    if (count <= SHOWN) console.log(`VIOLATION (${rule}), seed ${seed}: ${what}\n`);
  }
  if (run.findings.length > 0) {
    console.log(`${run.findings.length} violations. All logs: ${run.directory}`);
    return 1;
  }
  if (plan.keep) console.log(`All logs: ${run.directory}`);
  else rmSync(run.directory, { recursive: true });
  console.log('The promise was kept.');
  return 0;
}

function printed(): (progress: Progress) => void {
  let before: Progress | undefined;
  return (now) => {
    if (now.elapsedMs - (before?.elapsedMs ?? 0) < PROGRESS_MS) return;
    console.log(progressLine(now, before));
    before = now;
  };
}
