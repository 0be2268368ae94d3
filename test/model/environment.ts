import type { Mistake, Step } from './step.js';
import { orphaned, set, type World } from './world.js';

/** What may happen at any time, whatever the attempts do. */
export function* environment(world: World, mistake: Mistake): Generator<Step> {
  const { redis, orphan, record, hold, attempts } = world;
  // Flushed, evicted, failed over, or a lease that ended: to an attempt they are all the same.
  if (redis) yield { name: 'redis forgets', world: { ...world, redis: null }, trouble: 'redis forgets' };
  if (orphan) {
    const ended = { ...world, orphan: null, hold: hold === orphan.by ? null : hold };
    yield { name: `the server ends the transaction of ${orphan.by}`, world: ended };
    if (orphan.committing && record === null)
      yield {
        name: `the server commits the transaction of ${orphan.by}`,
        world: { ...ended, record: orphan.by },
      };
  }
  if (mistake === 'sweep-before-retention' && record !== null)
    yield { name: 'the sweeper removes the record', world: { ...world, record: null } };
  for (const [n, { stage, claim, cut }] of attempts.entries()) {
    if ((stage === 'begun' || stage === 'ran') && !cut)
      yield {
        name: `${n} is cut off`,
        world: orphaned(set(world, n, { cut: true }), n, false),
        trouble: 'postgres out of reach',
      };
    // A renewal, or a claim that was sent again: its owner may be long gone.
    if (claim !== 'none' && redis === null)
      yield { name: `a word of ${n} takes the claim`, world: { ...world, redis: { heldBy: n } } };
  }
}
