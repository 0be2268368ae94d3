import type { Step } from './step.js';
import { type Answer, answer, attemptOf, set, type World } from './world.js';

export function* claim(world: World, n: number): Generator<Step> {
  const without = set(world, n, { stage: 'claimed', claim: 'unheard' });
  yield {
    name: `${n} goes on without redis`,
    world: without,
    sees: 'claim UNAVAILABLE',
    trouble: 'redis out of reach',
  };
  const { redis } = world;
  if (redis === null)
    yield {
      name: `${n} claims`,
      world: { ...set(world, n, { stage: 'claimed', claim: 'held' }), redis: { heldBy: n } },
      sees: 'claim ACQUIRED',
    };
  else if ('settled' in redis)
    yield {
      name: `${n} replays from redis`,
      world: answer(world, n, { outcomeOf: redis.settled }, 'done'),
      sees: 'claim SETTLED',
    };
  else
    yield {
      name: `${n} is refused by the claim`,
      world: set(world, n, { stage: 'refused' }),
      sees: 'claim IN_PROGRESS',
    };
}

export function* lookPastTheClaim(world: World, n: number): Generator<Step> {
  const wait = answer(world, n, 'in-progress', 'done');
  yield { name: `${n} is told to wait`, world: wait };
  if (world.record === null) yield { name: `${n} sees no record`, world: wait, sees: 'read nothing' };
  else
    yield {
      name: `${n} looks past an old claim`,
      world: answer(world, n, { outcomeOf: world.record }, 'answered'),
      sees: 'read found',
    };
  const blind = answer(world, n, 'released', 'done');
  yield {
    name: `${n} cannot read the record`,
    world: blind,
    sees: 'read threw',
    trouble: 'postgres out of reach',
  };
}

export function* release(world: World, n: number): Generator<Step> {
  const { redis } = world;
  const done = set(world, n, { stage: 'done' });
  const owns = redis !== null && 'heldBy' in redis && redis.heldBy === n;
  yield { name: `${n} releases`, world: owns ? { ...done, redis: null } : done, sees: 'release' };
  // Redis is out of reach: the claim stands until its lease ends.
  if (owns)
    yield { name: `${n} cannot release`, world: done, sees: 'release', trouble: 'redis out of reach' };
}

export function* tell(world: World, n: number): Generator<Step> {
  const done = set(world, n, { stage: 'done' });
  yield { name: `${n} cannot tell redis`, world: done, sees: 'settle', trouble: 'redis out of reach' };
  const told = attemptOf(world, n).answer as Exclude<Answer, string>;
  yield { name: `${n} tells redis`, world: { ...done, redis: { settled: told.outcomeOf } }, sees: 'settle' };
}
