import type { Mistake, Step } from './step.js';
import { answer, giveUp, isHeld, set, type World } from './world.js';

export function* findOut(world: World, n: number, mistake: Mistake): Generator<Step> {
  const { record, hold } = world;
  const trouble = 'postgres out of reach';
  yield { name: `${n} gives up finding out`, world: answer(world, n, 'unknown', 'done'), trouble };
  yield { name: `${n} cannot find out yet`, world, sees: 'probe threw', trouble };
  if (isHeld(world, n)) yield { name: `${n} is held off finding out`, world, sees: 'probe busy' };
  const released = giveUp(world, n, 'released');
  if (mistake === 'guess-released') yield { name: `${n} guesses`, world: released };
  if (record !== null)
    yield {
      name: `${n} finds out`,
      world: answer(world, n, { outcomeOf: record }, 'answered'),
      sees: 'probe found',
    };
  if (record !== null && mistake === 'look-up-in-an-old-snapshot')
    yield { name: `${n} finds out nothing in an old snapshot`, world: released };
  if (record === null && (hold === null || mistake === 'look-up-without-hold'))
    yield { name: `${n} finds out that nothing committed`, world: released, sees: 'probe absent' };
}

export function* readTheOther(world: World, n: number, mistake: Mistake): Generator<Step> {
  const told = mistake === 'answer-from-the-handler' ? n : (world.record as number);
  const other = answer(world, n, { outcomeOf: told }, 'answered');
  yield { name: `${n} reads what fenced it`, world: other, sees: 'read found' };
  yield {
    name: `${n} cannot read what fenced it`,
    world: set(world, n, { stage: 'commit-unknown' }),
    sees: 'read threw',
    trouble: 'postgres out of reach',
  };
}

export function* lookForAnother(world: World, n: number): Generator<Step> {
  const { record } = world;
  const released = giveUp(world, n, 'released');
  if (record === null) yield { name: `${n} finds no other`, world: released, sees: 'read nothing' };
  else {
    const other = answer(world, n, { outcomeOf: record }, 'answered');
    yield { name: `${n} finds another`, world: other, sees: 'read found' };
  }
  yield {
    name: `${n} cannot look for another`,
    world: released,
    sees: 'read threw',
    trouble: 'postgres out of reach',
  };
}
