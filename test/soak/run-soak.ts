import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { defaultWeights, faultyProxy, schedule, script } from '@trpc-once/faulty-network';
import type { OnceEvent } from '@trpc-once/server';
import { Disposal } from '../bank/disposal.js';
import { askAgain } from './ask-again.js';
import { clientLane } from './chaos/client-faults.js';
import { doorLane } from './chaos/door-faults.js';
import { type Injected, runLane } from './chaos/lane.js';
import { postgresLane } from './chaos/postgres-faults.js';
import { redisLane } from './chaos/redis-faults.js';
import { serverLane } from './chaos/server-faults.js';
import type { Case } from './check/case.js';
import { check } from './check/check.js';
import { readEvidence } from './check/evidence.js';
import { historyOf } from './check/history.js';
import { timeline } from './check/timeline.js';
import { type Clients, startClients } from './clients.js';
import { operationHeader } from './load/logging-fetch.js';
import type { Standing } from './load/standing.js';
import { readLog } from './log/log.js';
import type { Plan } from './plan.js';
import { type Finding, Findings } from './report/findings.js';
import { openStage, type Stage } from './stage/open-stage.js';
import { ask } from './stage/redis-pair.js';

/** What a soak came to. */
export interface SoakRun {
  readonly found: Case;
  /** Empty when the promise was kept. */
  readonly findings: readonly Finding[];
  readonly injected: readonly Injected[];
  /** What the servers said of themselves; those that were killed took their last second with them. */
  readonly events: ReadonlyMap<OnceEvent['type'], number>;
  /** Operations under way, looked at every second while faults were injected. */
  readonly underWay: readonly number[];
  /** From the first fault until everything had come to its end. */
  readonly calmMs: number;
  /** Logs, left for whoever looks into a finding. */
  readonly directory: string;
}

/** How things stand. */
export interface Progress extends Standing {
  readonly phase: 'chaos' | 'calm' | 'check';
  readonly elapsedMs: number;
  readonly injected: readonly Injected[];
}

export interface SoakOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** Opens everything, breaks it for a while, lets it come to its end, and holds what happened against the promise. */
export async function runSoak(plan: Plan, { signal, onProgress }: SoakOptions = {}): Promise<SoakRun> {
  await using disposal = new Disposal();
  const directory = mkdtempSync(join(tmpdir(), 'trpc-once-soak-'));
  const findings = new Findings();
  const events = new Map<OnceEvent['type'], number>();
  const stage = await openStage(
    {
      ...{ servers: plan.servers, connections: plan.connections, sabotage: plan.sabotage, findings },
      onEvents(counts) {
        for (const [type, count] of Object.entries(counts) as [OnceEvent['type'], number][])
          events.set(type, (events.get(type) ?? 0) + count);
      },
    },
    disposal,
  );
  const doors = stage.servers.map(({ url }) => url);
  const network = disposal.use(
    await faultyProxy({
      upstreams: doors,
      schedule: schedule(plan.seed, defaultWeights, { delayMs: { least: 200, most: 4_000 } }),
      identityHeader: operationHeader,
    }),
  );
  const clients = await startClients({ plan, doors, network: network.url, directory, findings }, disposal);

  const injected: Injected[] = [];
  const underWay: number[] = [];
  const beganAt = performance.now();
  let phase: Progress['phase'] = 'chaos';
  const looking = setInterval(() => {
    const { began, ended } = clients.standing();
    if (phase === 'chaos') underWay.push(began - ended);
    onProgress?.({ phase, began, ended, injected, elapsedMs: performance.now() - beganAt });
  }, 1_000);
  disposal.defer(() => clearInterval(looking));

  await chaos({ plan, stage, clients, injected, signal });
  phase = 'calm';
  network.setSchedule(script([]));
  const calmAt = performance.now();
  const finished = clients.finish().then(() => true);
  if (!(await Promise.race([finished, delay(plan.calmMs, false, { ref: false }), aborted(signal)])))
    findings.add('no end', `not everything had come to its end ${plan.calmMs} ms after the last fault`);
  const calmMs = performance.now() - calmAt;
  phase = 'check';
  await network.quiet();

  const entries = clients.logs.flatMap(readLog);
  // Now only the records know.
  await ask(stage.redis.primary, 'FLUSHALL');
  entries.push(...(await askAgain({ entries, doors, directory, findings })));
  // What nobody waits for any more may still be running: asked to end, a server finishes it first.
  await Promise.all(stage.servers.map((server) => server.stop()));
  const found: Case = { history: historyOf(entries), evidence: await readEvidence(stage.db) };
  for (const { rule, what, operations } of check(found))
    findings.add(rule, `${what}\n${timeline(operations, found, injected)}`);
  writeFileSync(join(directory, 'evidence.json'), JSON.stringify({ injected, ...found.evidence }));
  return { found, findings: findings.all(), injected, events, underWay, calmMs, directory };
}

interface ChaosOptions {
  readonly plan: Plan;
  readonly stage: Stage;
  readonly clients: Clients;
  readonly injected: Injected[];
  readonly signal: AbortSignal | undefined;
}

/** Returns when time is up and the last fault has been put right. */
async function chaos({ plan, stage, clients, injected, signal }: ChaosOptions): Promise<void> {
  const over = new AbortController();
  const lanes = [
    ...stage.servers.map(serverLane),
    postgresLane(stage),
    redisLane(stage),
    doorLane(stage),
    clientLane(clients.app),
  ];
  const note = (one: Injected) => void injected.push(one);
  const running = lanes.map((lane) => runLane(lane, { seed: plan.seed, signal: over.signal, note }));
  const all = Promise.all(running);
  try {
    await Promise.race([all, delay(plan.chaosMs), aborted(signal)]);
  } finally {
    over.abort();
    // Nothing may be closed while a lane is still mending: it would start again what was just ended.
    await Promise.allSettled(running);
  }
  await all;
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
