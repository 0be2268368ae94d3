import { setMaxListeners } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { defaultWeights, faultyProxy, schedule, script } from '@trpc-once/faulty-network';
import { Disposal } from '../../bank/disposal.js';
import { doorLane } from '../chaos/door-faults.js';
import { type Injected, runLane } from '../chaos/lane.js';
import { serverLane } from '../chaos/server-faults.js';
import { readEvidence } from '../check/evidence.js';
import { historyOf } from '../check/history.js';
import { timeline } from '../check/timeline.js';
import { operationHeader } from '../load/logging-fetch.js';
import { readLog } from '../log/log.js';
import { type Finding, Findings } from '../report/findings.js';
import { openStage } from '../stage/open-stage.js';
import { appLane } from './app-faults.js';
import type { AppSabotage } from './app-sabotage.js';
import { type AppCase, appCaseOf } from './check/app-case.js';
import { checkApps } from './check/check-apps.js';
import { fleets, logsOf, startFleet } from './fleet.js';

export interface AppsPlan {
  /** How long faults are injected, in milliseconds. */
  readonly chaosMs: number;
  readonly seed: number;
  readonly fleet: keyof typeof fleets;
  /** How long everything may take to come to its end once all faults are over, in milliseconds. */
  readonly calmMs: number;
  readonly sabotage?: AppSabotage | undefined;
}

export interface AppsRun {
  readonly found: AppCase;
  /** Empty when the promise was kept. */
  readonly findings: readonly Finding[];
  readonly injected: readonly Injected[];
  /** From the last fault until everything had come to its end. */
  readonly calmMs: number;
  readonly directory: string;
}

/** Runs a fleet of apps with outboxes over a network, servers and processes that fail, and holds their notes against the database. */
export async function runApps(plan: AppsPlan, signal?: AbortSignal): Promise<AppsRun> {
  await using disposal = new Disposal();
  const { seed, sabotage, calmMs: boundMs } = plan;
  const directory = mkdtempSync(join(tmpdir(), 'trpc-once-apps-'));
  const findings = new Findings();
  const stage = await openStage(
    { servers: 2, connections: 8, sabotage: undefined, findings, onEvents() {} },
    disposal,
  );
  const network = disposal.use(
    await faultyProxy({
      upstreams: stage.servers.map(({ url }) => url),
      schedule: schedule(seed, defaultWeights, { delayMs: { least: 200, most: 4_000 } }),
      identityHeader: operationHeader,
    }),
  );
  const groups = fleets[plan.fleet];
  const fleet = await startFleet({ groups, seed, url: network.url, directory, sabotage, findings }, disposal);
  const injected: Injected[] = [];
  const over = new AbortController();
  // One listener for each lane.
  setMaxListeners(0, over.signal);
  const lanes = [...stage.servers.map(serverLane), doorLane(stage), ...fleet.map(appLane)].map((lane) =>
    runLane(lane, { seed, signal: over.signal, note: (one) => void injected.push(one) }),
  );
  try {
    await Promise.race([Promise.all(lanes), delay(plan.chaosMs, undefined, signal ? { signal } : {})]);
  } finally {
    over.abort();
    await Promise.allSettled(lanes);
  }
  network.setSchedule(script([]));
  const calmAt = performance.now();
  const finished = Promise.all(fleet.map((app) => app.finish())).then(() => true);
  if (!(await Promise.race([finished, delay(boundMs, false, { ref: false })]))) {
    const left = fleet
      .filter(({ standing }) => standing.began > standing.ended)
      .map(({ order }) => order.name);
    findings.add('no end', `not everything was over ${boundMs} ms after the last fault; busy: ${left}`);
  }
  const calmMs = performance.now() - calmAt;
  for (const app of fleet) await app.kill();
  await network.quiet();
  await Promise.all(stage.servers.map((server) => server.stop()));

  const entries = logsOf(fleet).flatMap(readLog);
  const found = appCaseOf({ history: historyOf(entries), evidence: await readEvidence(stage.db) }, entries);
  for (const { rule, what, operations } of checkApps(found))
    findings.add(rule, `${what}\n${timeline(operations, found, injected)}`);
  writeFileSync(join(directory, 'evidence.json'), JSON.stringify({ plan, injected, ...found.evidence }));
  return { found, findings: findings.all(), injected, calmMs, directory };
}
