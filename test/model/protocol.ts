import { claim, lookPastTheClaim, release, tell } from './claim-steps.js';
import { environment } from './environment.js';
import { findOut, lookForAnother, readTheOther } from './outcome-steps.js';
import type { Mistake, Step } from './step.js';
import { begin, end, endCutOff, hearOfCommit } from './transaction-steps.js';
import { attemptOf, orphaned, type Stage, set, type World } from './world.js';

/**
 * The protocol of one operation as a small state machine: what any number of attempts, Redis and Postgres can do to each
 * other, a step at a time. `explore.ts` takes every step there is; `accepts.ts` compares the code's own traces with them.
 *
 * @returns every step that may come next
 */
export function* steps(world: World, mistake: Mistake = 'none'): Generator<Step> {
  yield* environment(world, mistake);
  for (let n = 0; n < world.attempts.length; n++) {
    const { stage } = attemptOf(world, n);
    if (stage === 'done' || stage === 'crashed') continue;
    yield { name: `${n} crashes`, world: crash(world, n) };
    yield* ofAttempt(world, n, { stage, mistake });
  }
}

function* ofAttempt(
  world: World,
  n: number,
  { stage, mistake }: { stage: Stage; mistake: Mistake },
): Generator<Step> {
  switch (stage) {
    case 'arrived':
      return yield* claim(world, n);
    case 'refused':
      return yield* lookPastTheClaim(world, n);
    case 'claimed':
      return yield* begin(world, n, mistake);
    case 'begun':
      return yield { name: `${n} ran`, world: set(world, n, { stage: 'ran' }), sees: 'ran' };
    case 'ran':
      return yield* attemptOf(world, n).cut ? endCutOff(world, n) : end(world, n, mistake);
    case 'committing':
      return yield* hearOfCommit(world, n);
    case 'commit-unknown':
      return yield* findOut(world, n, mistake);
    case 'fenced':
      return yield* readTheOther(world, n, mistake);
    case 'lost':
      return yield* lookForAnother(world, n);
    case 'releasing':
      return yield* release(world, n);
    case 'answered':
      return yield* tell(world, n);
  }
}

/** Its connection closes, and the server finds out in its own time; a COMMIT that was sent may still be carried out. */
function crash(world: World, n: number): World {
  const { stage, cut } = attemptOf(world, n);
  const crashed = set(world, n, { stage: 'crashed' });
  return (stage === 'begun' || stage === 'ran') && !cut ? orphaned(crashed, n, stage === 'ran') : crashed;
}
