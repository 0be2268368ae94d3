/**
 * The protocol of one operation as a small state machine: what any number of attempts, Redis and Postgres can do to each
 * other, a step at a time. Explored by `explore.ts`; compared with the code's own traces in `traces.test.ts`.
 *
 * Postgres is modelled by its own rules: one record a key; a hold that belongs to an open transaction; a commit makes the
 * record visible and lets go of the hold in one step. Redis is modelled as something that may forget at any moment.
 */

/** Where an attempt stands. */
export type Stage =
  | 'arrived'
  /** It has the claim, or goes on without one. */
  | 'claimed'
  /** Its transaction is open and has the hold. */
  | 'begun'
  /** The handler returned. */
  | 'ran'
  /** COMMIT was sent and is on its way; its answer may never come. */
  | 'committing'
  /** The connection is gone and nothing is known of the COMMIT. */
  | 'commit-unknown'
  /** It knows its outcome is committed, and has told nobody. */
  | 'settled'
  /** It has answered, and may still tell the claim store. */
  | 'answered'
  | 'done'
  | 'crashed';

export type Answer = 'in-progress' | 'released' | 'unknown' | { readonly outcomeOf: number };

export interface Attempt {
  readonly stage: Stage;
  readonly answer?: Answer;
  /** Whether it holds, or thinks it holds, the claim. */
  readonly leased: boolean;
}

/** What a COMMIT that was sent may still do on the server. */
export interface OpenCommit {
  readonly by: number;
}

export interface World {
  readonly attempts: readonly Attempt[];
  /** The record: whose outcome settled. */
  readonly record: number | null;
  /** Which attempt's transaction holds the operation. */
  readonly hold: number | null;
  /** A transaction whose client is gone, or whose COMMIT is on its way. */
  readonly orphan: OpenCommit | null;
  readonly redis: { readonly heldBy: number } | { readonly settled: number } | null;
}

export interface Step {
  readonly name: string;
  readonly world: World;
}

/** Ways of getting it wrong, to show that the exploration would notice. */
export type Mistake =
  | 'none'
  /** A lost COMMIT is looked up without the hold. */
  | 'look-up-without-hold'
  /** A lost COMMIT is called released. */
  | 'guess-released'
  /** A lost COMMIT is looked up in the transaction that takes the hold, whose snapshot may be older than the commit. */
  | 'look-up-in-an-old-snapshot'
  /** Transactions take no hold: the fence keeps the effects apart, but nobody can find out about a lost COMMIT. */
  | 'no-hold'
  /** The record's key does not refuse a second one. */
  | 'no-fence'
  /** An attempt that was fenced answers what its own handler returned. */
  | 'answer-from-the-handler';

export function initialWorld(attempts: number): World {
  return {
    attempts: Array.from({ length: attempts }, () => ({ stage: 'arrived', leased: false })),
    record: null,
    hold: null,
    orphan: null,
    redis: null,
  };
}

/** Every step that may come next. */
export function* steps(world: World, mistake: Mistake = 'none'): Generator<Step> {
  yield* environment(world);
  for (let n = 0; n < world.attempts.length; n++) {
    const { stage } = world.attempts[n] as Attempt;
    if (stage === 'done' || stage === 'crashed') continue;
    yield { name: `${n} crashes`, world: crash(world, n) };
    yield* ofAttempt(world, n, stage, mistake);
  }
}

function* environment(world: World): Generator<Step> {
  // Flushed, evicted, failed over, or a lease that ended: to an attempt they are all the same.
  if (world.redis) yield { name: 'redis forgets', world: { ...world, redis: null } };
  if (world.orphan) {
    const { by } = world.orphan;
    const ended = { ...world, orphan: null, hold: world.hold === by ? null : world.hold };
    yield { name: `the server ends the transaction of ${by}`, world: ended };
    if (world.record === null)
      yield { name: `the server commits the transaction of ${by}`, world: { ...ended, record: by } };
  }
}

function* ofAttempt(world: World, n: number, stage: Stage, mistake: Mistake): Generator<Step> {
  switch (stage) {
    case 'arrived':
      yield* claim(world, n);
      return;
    case 'claimed':
      yield* begin(world, n, mistake);
      return;
    case 'begun':
      yield* renew(world, n);
      yield { name: `${n} ran`, world: set(world, n, { stage: 'ran' }) };
      yield { name: `${n} failed`, world: release(rollBack(world, n), n, 'released') };
      // An overlong silence, or a cut: the server rolls back, the attempt is told.
      yield { name: `${n} lost its connection`, world: release(rollBack(world, n), n, 'released') };
      return;
    case 'ran':
      yield* renew(world, n);
      yield* sendCommit(world, n, mistake);
      return;
    case 'committing':
      yield* commitAnswered(world, n);
      return;
    case 'commit-unknown':
      yield* findOut(world, n, mistake);
      return;
    case 'settled':
      yield { name: `${n} answers`, world: answer(world, n, { outcomeOf: n }, 'answered') };
      return;
    case 'answered':
      yield* tell(world, n);
      return;
  }
}

function* claim(world: World, n: number): Generator<Step> {
  yield { name: `${n} goes on without redis`, world: set(world, n, { stage: 'claimed' }) };
  const { redis } = world;
  if (redis === null)
    yield {
      name: `${n} claims`,
      world: { ...set(world, n, { stage: 'claimed', leased: true }), redis: { heldBy: n } },
    };
  else if ('settled' in redis)
    yield { name: `${n} replays from redis`, world: answer(world, n, { outcomeOf: redis.settled }) };
  else {
    yield { name: `${n} is refused by the claim`, world: answer(world, n, 'in-progress') };
    if (world.record !== null)
      yield { name: `${n} looks past an old claim`, world: answer(world, n, { outcomeOf: world.record }) };
  }
}

function* begin(world: World, n: number, mistake: Mistake): Generator<Step> {
  if (world.record !== null)
    yield { name: `${n} finds the record`, world: answer(world, n, { outcomeOf: world.record }, 'answered') };
  else if (mistake === 'no-hold') yield { name: `${n} begins`, world: set(world, n, { stage: 'begun' }) };
  else if (world.hold === null)
    yield { name: `${n} begins`, world: { ...set(world, n, { stage: 'begun' }), hold: n } };
  else yield { name: `${n} is refused by the hold`, world: release(world, n, 'in-progress') };
  // REPEATABLE READ: the snapshot was taken before the hold was granted, and the record came in between.
  if (world.record !== null && world.hold === null)
    yield {
      name: `${n} begins in an old snapshot`,
      world: { ...set(world, n, { stage: 'begun' }), hold: n },
    };
  yield { name: `${n} cannot reach postgres`, world: release(world, n, 'released') };
}

/** A claim that vanished is taken again while its owner runs. */
function* renew(world: World, n: number): Generator<Step> {
  if (world.redis === null && world.attempts[n]?.leased)
    yield { name: `${n} renews`, world: { ...world, redis: { heldBy: n } } };
}

function* sendCommit(world: World, n: number, mistake: Mistake): Generator<Step> {
  const fenced = world.record !== null && mistake !== 'no-fence';
  if (fenced) {
    const rolledBack = rollBack(world, n);
    const told = mistake === 'answer-from-the-handler' ? n : (world.record as number);
    yield { name: `${n} is fenced`, world: answer(rolledBack, n, { outcomeOf: told }, 'answered') };
    return;
  }
  const committed = { ...world, record: n, hold: world.hold === n ? null : world.hold };
  yield { name: `${n} commits`, world: set(committed, n, { stage: 'committing' }) };
  // Lost before it arrived, or still on its way: the server may yet commit, or end it.
  yield {
    name: `${n} sends COMMIT into the dark`,
    world: { ...set(world, n, { stage: 'commit-unknown' }), orphan: { by: n } },
  };
}

function* commitAnswered(world: World, n: number): Generator<Step> {
  yield { name: `${n} hears of its commit`, world: set(world, n, { stage: 'settled' }) };
  yield { name: `${n} does not hear of its commit`, world: set(world, n, { stage: 'commit-unknown' }) };
}

function* findOut(world: World, n: number, mistake: Mistake): Generator<Step> {
  yield { name: `${n} gives up finding out`, world: answer(world, n, 'unknown') };
  if (mistake === 'guess-released') yield { name: `${n} guesses`, world: release(world, n, 'released') };
  if (world.record !== null)
    yield { name: `${n} finds out`, world: answer(world, n, { outcomeOf: world.record }, 'answered') };
  if (world.record !== null && mistake === 'look-up-in-an-old-snapshot')
    yield { name: `${n} finds out nothing in an old snapshot`, world: release(world, n, 'released') };
  if (world.record === null && (world.hold === null || mistake === 'look-up-without-hold'))
    yield { name: `${n} finds out that nothing committed`, world: release(world, n, 'released') };
}

function* tell(world: World, n: number): Generator<Step> {
  yield { name: `${n} is done`, world: set(world, n, { stage: 'done' }) };
  const told = world.attempts[n]?.answer;
  if (typeof told === 'object')
    yield {
      name: `${n} tells redis`,
      world: { ...set(world, n, { stage: 'done' }), redis: { settled: told.outcomeOf } },
    };
}

function crash(world: World, n: number): World {
  const crashed = set(world, n, { stage: 'crashed' });
  // Its connection closes, and the server finds out in its own time; a COMMIT that was sent may still be carried out.
  const { stage } = world.attempts[n] as Attempt;
  if (world.hold !== n || stage === 'commit-unknown') return crashed;
  return stage === 'ran' ? { ...crashed, orphan: { by: n } } : { ...crashed, hold: null };
}

function rollBack(world: World, n: number): World {
  return { ...world, hold: world.hold === n ? null : world.hold };
}

/** Gives up the claim, if it still is this attempt's, and answers. */
function release(world: World, n: number, told: Answer): World {
  const { redis } = world;
  const owns = redis !== null && 'heldBy' in redis && redis.heldBy === n;
  return answer({ ...world, redis: owns ? null : redis }, n, told);
}

function answer(world: World, n: number, told: Answer, stage: Stage = 'done'): World {
  return set(world, n, { stage, answer: told });
}

function set(world: World, n: number, change: Partial<Attempt>): World {
  const attempts = world.attempts.map((attempt, at) => (at === n ? { ...attempt, ...change } : attempt));
  return { ...world, attempts };
}
