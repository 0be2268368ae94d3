/** `npm run soak:page`: see ./arguments.ts for what it takes. */
import { noBrowser } from '../page/browser.js';
import { ArgumentError } from '../soak/arguments.js';
import { readArguments, usage } from './arguments.js';
import type { Plan } from './plan.js';
import { pageSoakTable } from './report/table.js';
import { timeline } from './report/timeline.js';
import { runPageSoak } from './run-page-soak.js';

/** Of each kind so many are shown in full; the first ones tell most. */
const SHOWN = 4;

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => interruption.abort(new Error(`interrupted by ${signal}`)));

try {
  const plan = readArguments(process.argv.slice(2));
  if (plan === 'help') console.log(usage);
  else if (noBrowser) throw new ArgumentError(noBrowser);
  else process.exitCode = await soak(plan);
} catch (error) {
  process.exitCode = error instanceof ArgumentError ? 2 : 1;
  console.error(error instanceof ArgumentError ? error.message : error);
}

async function soak(plan: Plan & { readonly quiet: boolean }): Promise<number> {
  const { seed, visitors, actMs, sabotage, quiet } = plan;
  console.log(
    `The page's soak: ${visitors} browsers, ${actMs / 60_000} min, seed ${seed}${sabotage ? `, sabotaged: ${sabotage}` : ''}`,
  );
  const { found, violations } = await runPageSoak(plan, {
    signal: interruption.signal,
    ...(!quiet && { say: console.log }),
  });
  console.log(`\n${pageSoakTable(found)}\n`);
  const shown = new Map<string, number>();
  for (const { rule, what, carts } of violations) {
    const count = (shown.get(rule) ?? 0) + 1;
    shown.set(rule, count);
    if (count <= SHOWN)
      console.log(`VIOLATION (${rule}), seed ${seed}: ${what}\n${timeline(carts, found)}\n`);
  }
  console.log(violations.length > 0 ? `${violations.length} violations.` : 'The promise was kept.');
  return violations.length > 0 ? 1 : 0;
}
