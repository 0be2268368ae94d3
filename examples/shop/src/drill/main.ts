/** `npm start`: the drill, and then the shop. */

import { CannotBeginError } from '../cannot-begin-error.js';
import { mustBeFree } from '../server/where-to-serve.js';
import { type DrillArguments, type Environment, readArguments, readEnvironment, usage } from './arguments.js';
import { checkDrill } from './check/check-drill.js';
import { planDrill } from './plan.js';
import { showProgress } from './progress.js';
import { type DrillRun, runDrill } from './run-drill.js';
import { serveShop } from './serve-shop.js';
import { embeddedStage } from './stage/embedded-stage.js';
import { servicesStage } from './stage/services-stage.js';
import type { Stage } from './stage/stage.js';
import { drillTable } from './table.js';

const say = (text: string): void => console.log(text);

const interruption = new AbortController();
// Once: a second Ctrl-C ends everything on the spot, and the guards see to the rest.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => interruption.abort(new Error(`interrupted by ${signal}`)));

try {
  process.exitCode = await main(readArguments(process.argv.slice(2)));
} catch (error) {
  const { signal } = interruption;
  if (signal.aborted) process.exitCode = 130;
  else process.exitCode = error instanceof CannotBeginError ? 2 : 1;
  console.error(signal.aborted ? String(signal.reason.message) : explained(error));
}

async function main(args: DrillArguments): Promise<number> {
  if (args.help) {
    say(usage);
    return 0;
  }
  const environment = readEnvironment(process.env);
  const { port, portAsked } = environment;
  if (args.serve) await mustBeFree({ port, portAsked });
  const plan = planDrill(args);
  const { signal } = interruption;

  say(`The drill: ${plan.orders} orders by ${plan.clients} clients, seed ${plan.seed}. Starting …`);
  await using stage = await openStage(args, environment);
  signal.throwIfAborted();
  say(`${stage.description}\n`);
  const run = await runWithProgress(plan, stage);
  const verdict = checkDrill(plan, run.told, run.evidence);
  const findings = [...verdict.findings, ...run.tally.faults()];
  say(drillTable(plan, run, verdict));
  if (findings.length > 0) {
    say(`\nNOT GOOD, seed ${plan.seed}:\n${findings.map((finding) => `  - ${finding}`).join('\n')}`);
    return 1;
  }
  say(`\nEvery operation took effect once. ${(run.elapsedMs / 1_000).toFixed(1)} s, seed ${plan.seed}.`);
  if (args.serve) await serveShop({ port, portAsked, stores: stage.stores, signal, say });
  return 0;
}

async function runWithProgress(plan: ReturnType<typeof planDrill>, stage: Stage): Promise<DrillRun> {
  let progress: ReturnType<typeof showProgress> | undefined;
  try {
    return await runDrill({
      ...{ plan, stage, signal: interruption.signal },
      onRunning: (standing) => {
        progress = showProgress(process.stdout, plan, standing);
      },
    });
  } finally {
    progress?.stop();
  }
}

function openStage({ services }: DrillArguments, { databaseUrl, redisUrl }: Environment): Promise<Stage> {
  if (services || (databaseUrl && redisUrl)) return servicesStage({ databaseUrl, redisUrl });
  if (databaseUrl || redisUrl)
    throw new CannotBeginError(
      `only ${databaseUrl ? 'DATABASE_URL' : 'REDIS_URL'} is set: set both, or neither, or give --services, which starts what is missing`,
    );
  return embeddedStage();
}

function explained(error: unknown): string {
  if (error instanceof CannotBeginError) return `${error.message}\nnpm start -- --help tells what there is.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
