import type { Mistake, Step } from './step.js';
import { answer, giveUp, isHeld, orphaned, rollBack, set, type World } from './world.js';

export function* begin(world: World, n: number, mistake: Mistake): Generator<Step> {
  const { record, hold } = world;
  const begun = { ...set(world, n, { stage: 'begun' }), hold: mistake === 'no-hold' ? hold : n };
  if (record !== null)
    yield {
      name: `${n} finds the record`,
      world: answer(world, n, { outcomeOf: record }, 'answered'),
      sees: 'transact found',
    };
  else if (hold === null || mistake === 'no-hold') yield { name: `${n} begins`, world: begun, sees: 'begun' };
  if (record === null && mistake !== 'no-hold' && isHeld(world, n))
    yield {
      name: `${n} is refused by the hold`,
      world: giveUp(world, n, 'in-progress'),
      sees: 'transact busy',
    };
  // REPEATABLE READ: the snapshot was taken before the hold was granted, and the record came in between.
  if (record !== null && hold === null)
    yield { name: `${n} begins in an old snapshot`, world: begun, sees: 'begun', trouble: 'snapshots' };
  yield { name: `${n} begins again`, world, sees: 'transact threw', trouble: 'snapshots' };
  // Having run before, it looks whether another settled meanwhile.
  const lost = set(world, n, { stage: 'lost' });
  yield {
    name: `${n} cannot begin again`,
    world: lost,
    sees: 'transact threw',
    trouble: 'postgres out of reach',
  };
  const unreachable = giveUp(world, n, 'released');
  yield {
    name: `${n} cannot reach postgres`,
    world: unreachable,
    sees: 'transact threw',
    trouble: 'postgres out of reach',
  };
  if (record === null && hold === null)
    yield {
      name: `${n} is cut off while it begins`,
      world: orphaned({ ...unreachable, hold: n }, n, false),
      sees: 'transact threw',
      trouble: 'postgres out of reach',
    };
  // SERIALIZABLE: another holds the operation for a moment, if only to find out that it has to look first.
  if (world.attempts.some(({ stage }, other) => other !== n && stage === 'claimed'))
    yield {
      name: `${n} is held off by one that only looks`,
      world: giveUp(world, n, 'in-progress'),
      sees: 'transact busy',
      trouble: 'snapshots',
    };
  // SERIALIZABLE: the first transaction only found out that this is so, and the server has not seen its end.
  if (record === null && hold === null)
    yield {
      name: `${n} is held off by its own transaction`,
      world: orphaned({ ...giveUp(world, n, 'in-progress'), hold: n }, n, false),
      sees: 'transact busy',
      trouble: 'snapshots',
    };
}

/** The handler is over: COMMIT or ROLLBACK. */
export function* end(world: World, n: number, mistake: Mistake): Generator<Step> {
  const ended = rollBack(world, n);
  const failed = giveUp(ended, n, 'released');
  yield { name: `${n} failed`, world: failed, sees: 'transact threw' };
  // Lost against another transaction, or a failed outcome that settles without the handler's writes.
  const again = set(ended, n, { stage: 'claimed' });
  yield { name: `${n} runs again`, world: again, sees: 'transact threw' };
  // Before COMMIT was sent.
  yield {
    name: `${n} is cut off before it commits`,
    world: orphaned(set(world, n, { stage: 'lost' }), n, false),
    sees: 'transact threw',
    trouble: 'postgres out of reach',
  };
  if (world.record !== null && mistake !== 'no-fence') {
    yield { name: `${n} is fenced`, world: set(ended, n, { stage: 'fenced' }), sees: 'transact fenced' };
    return;
  }
  if (mistake === 'tell-before-commit')
    yield { name: `${n} tells redis early`, world: { ...world, redis: { settled: n } } };
  yield { name: `${n} commits`, world: { ...set(ended, n, { stage: 'committing' }), record: n } };
  // Lost before it arrived, or still on its way: the server may yet commit, or end it.
  const dark = orphaned(set(world, n, { stage: 'commit-unknown' }), n, true);
  yield {
    name: `${n} sends COMMIT into the dark`,
    world: dark,
    sees: 'transact unknown',
    trouble: 'postgres out of reach',
  };
}

export function* endCutOff(world: World, n: number): Generator<Step> {
  const lost = set(world, n, { stage: 'lost' });
  yield { name: `${n} lost its connection`, world: lost, sees: 'transact threw' };
  const dark = set(world, n, { stage: 'commit-unknown' });
  yield { name: `${n} sends COMMIT to nobody`, world: dark, sees: 'transact unknown' };
}

export function* hearOfCommit(world: World, n: number): Generator<Step> {
  const heard = answer(world, n, { outcomeOf: n }, 'answered');
  yield { name: `${n} hears of its commit`, world: heard, sees: 'transact settled' };
  const dark = set(world, n, { stage: 'commit-unknown' });
  yield {
    name: `${n} does not hear of its commit`,
    world: dark,
    sees: 'transact unknown',
    trouble: 'postgres out of reach',
  };
}
