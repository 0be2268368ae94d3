import { Disposal } from '../bank/disposal.js';
import type { Fault } from './fault.js';
import { Operation } from './operation.js';
import { openSurvivor, type Survivor } from './survivor.js';
import { spawnVictim, type Victim } from './victim.js';
import { type Way, waysToPoints } from './ways-to-points.js';

/** What was done, for whoever asks the database and the callers about it. */
export interface Walk extends AsyncDisposable {
  readonly survivor: Survivor;
  operation(way: Way): Operation;
}

/**
 * Brings one attempt to every point of the victim's execution path, each with a key of its own; lets the fault befall
 * them all at once; and asks another process for the same operations until each has its outcome.
 */
export async function walkEveryPoint(fault: Fault): Promise<Walk> {
  const stack = new Disposal();
  try {
    const operations = waysToPoints.map((way, n) => new Operation(way, `walk-${n}`));
    const duplicates = operations.filter(({ way }) => way.duplicate);
    const survivor = stack.use(await openSurvivor(new Set(duplicates.map(({ key }) => key))));
    const victim = stack.use(await spawnVictim(survivor.bank));

    const originals = Promise.all(duplicates.map((operation) => operation.ask(survivor.bank.url)));
    // Where something else fails first, nobody waits for these.
    originals.catch(() => {});
    await survivor.holds(duplicates.length);
    for (const operation of operations) await operation.bring(victim);
    await fault.befall(victim);
    survivor.goOn();
    await askTheSurvivor(operations, survivor, victim);
    await Promise.all([originals, ...operations.map(({ victims }) => victims)]);

    await Promise.all([victim.redis.accept(), victim.postgres.accept()]);
    for (const operation of operations) {
      await operation.ask(survivor.bank.url);
      if (!fault.kills) await operation.askForOutcome(victim.url);
    }
    return {
      survivor,
      operation: (way) => operations.find((operation) => operation.way === way) as Operation,
      [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
    };
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
}

async function askTheSurvivor(
  operations: readonly Operation[],
  { bank }: Survivor,
  victim: Victim,
): Promise<void> {
  const outcomes = Promise.all(operations.map((operation) => operation.askForOutcome(bank.url)));
  // The claim of this one is the victim's, and it has begun nothing: its outcome says that the lease has ended.
  const waitsForLease = operations.find(({ way }) => way.point === 'claimed' && !way.duplicate) as Operation;
  await Promise.race([waitsForLease.askForOutcome(bank.url), outcomes]);
  victim.resume();
  await outcomes;
}
