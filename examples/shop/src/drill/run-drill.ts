import { defaultWeights, faultyProxy, type ProxyCounts, schedule } from '@trpc-once/faulty-network';
import { type Evidence, readEvidence } from './check/evidence.js';
import { CleanUp } from './clean-up.js';
import { drillRetry, identityHeader } from './clients/drill-client.js';
import { startFleet } from './clients/fleet.js';
import type { Told } from './clients/told.js';
import { type Damage, noDamage } from './mishaps/damage.js';
import { Milestones } from './mishaps/milestones.js';
import { mishapSchedule } from './mishaps/mishap-schedule.js';
import { Moments } from './mishaps/moments.js';
import { runMishaps } from './mishaps/run-mishaps.js';
import type { Plan } from './plan.js';
import type { AnswerTally } from './servers/answer-tally.js';
import { openAccounts } from './stage/open-accounts.js';
import type { Stage } from './stage/stage.js';

/** How things stand, at any moment. */
export interface Standing {
  /** Operations whose outcome a client knows. */
  readonly known: number;
  readonly network: ProxyCounts;
  readonly tally: AnswerTally;
  readonly damage: Damage;
}

/** What a drill came to; whether that is good is for others to say. */
export interface DrillRun extends Standing {
  readonly told: readonly Told[];
  readonly evidence: Evidence;
  readonly elapsedMs: number;
}

export interface RunOptions {
  readonly plan: Plan;
  readonly stage: Stage;
  /** Ends the drill without a word on how it stands. */
  readonly signal: AbortSignal;
  /** Given, once it runs, what tells how it stands. */
  readonly onRunning: (standing: () => Standing) => void;
}

/** Both below and above what an attempt may take: some answers are late, others too late. */
const delayMs = { least: 200, most: 2 * drillRetry.attemptTimeoutMs };

/** Whoever has no outcome by then is counted as without one. A drill takes a tenth of it. */
const limitMs = ({ orders }: Plan): number => 90_000 + 400 * orders;

/** Runs everything, waits until nothing writes any more, and reads what the database says. */
export async function runDrill({ plan, stage, signal, onRunning }: RunOptions): Promise<DrillRun> {
  await using cleanUp = new CleanUp();
  const beganAt = performance.now();
  const damage = noDamage();
  const milestones = new Milestones();
  const { promise: over, resolve: end } = settledLater();
  const { promise: failure, reject: onFailure } = settledLater();
  const stopped = Promise.race([failure, aborted(signal)]);
  stopped.catch(() => {});

  const moments = new Moments(over);
  const network = cleanUp.use(
    await faultyProxy({
      upstreams: [],
      schedule: schedule(plan.seed, defaultWeights, { delayMs }),
      identityHeader,
      onEvent: (event) => moments.note(event),
    }),
  );
  const servers = cleanUp.use(
    await stage.startServers({
      moments,
      damage,
      onFailure,
      onMoved: (urls) => network.setUpstreams(urls),
    }),
  );
  network.setUpstreams(servers.urls);
  await openAccounts(stage.stores.db, plan);

  const standing = (): Standing => ({
    known: milestones.count,
    network: network.counts(),
    tally: servers.tally,
    damage,
  });
  const fleet = await startFleet({
    ...{ plan, milestones, moments, damage, cleanUp, onFailure },
    url: network.url,
    kills: mishapSchedule(plan.seed, ['client-killed', 'client-killed']),
  });
  onRunning(standing);
  const mishaps = runMishaps({
    ...{ milestones, over, actions: servers.actions, of: plan.operations.length },
    schedule: mishapSchedule(plan.seed, stage.mishaps),
  });
  mishaps.catch(onFailure);

  await Promise.race([fleet.done, timeUp(limitMs(plan)), stopped]);
  end();
  await Promise.race([mishaps, stopped]);
  const told = await fleet.end();
  // Copies that are still held back are delivered now, and may find nothing left to do.
  await network.quiet();
  await servers.stop();
  return {
    ...standing(),
    told,
    evidence: await readEvidence(stage.stores.db),
    elapsedMs: performance.now() - beganAt,
  };
}

function settledLater() {
  let resolve: () => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}

function timeUp(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}
