import { randomUUID } from 'node:crypto';
import { postgresRecords } from '@trpc-once/server';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBankTables } from '../bank/bank-tables.js';
import { freshDatabase, freshRedis } from '../resources/index.js';
import { unexplained } from './accepts.js';
import { type Mishap, mishaps } from './mishap.js';
import { type Plan, runAttempts, type Turn } from './run-attempts.js';
import type { Trouble } from './step.js';

const turn: fc.Arbitrary<Turn> = fc.record({
  mishap: fc.option(fc.constantFrom(...(Object.keys(mishaps) as Mishap[])), { freq: 8, nil: undefined }),
  whom: fc.nat(2),
  next: fc.oneof(
    { weight: 4, arbitrary: fc.nat(2) },
    { weight: 4, arbitrary: fc.constant('the same' as const) },
    { weight: 1, arbitrary: fc.constant('everybody' as const) },
  ),
});

const plan: fc.Arbitrary<Plan> = fc.record({
  endings: fc.array(fc.constantFrom('completes', 'completes', 'declares', 'fails'), {
    minLength: 2,
    maxLength: 3,
  }),
  turns: fc.array(turn, { minLength: 4, maxLength: 30, size: 'max' }),
});

const goesOn = (who: number, times: number): Turn[] => Array(times).fill({ whom: who, next: who });

/** What has to happen in any run, which twenty random plans now and then are without. */
const always: Plan[] = [
  {
    endings: ['fails', 'completes'],
    turns: [...goesOn(0, 2), ...goesOn(1, 2), ...goesOn(0, 8), ...goesOn(1, 8)],
  },
  {
    endings: ['completes', 'completes'],
    turns: [{ mishap: 'Redis is out of its reach', whom: 0, next: 0 }, ...goesOn(0, 10), ...goesOn(1, 8)],
  },
  { endings: ['completes', 'completes'], turns: [...goesOn(0, 2), ...goesOn(1, 2), ...goesOn(0, 8)] },
];

interface Ground {
  readonly isolation: 'read committed' | 'repeatable read' | 'serializable';
  readonly leaseMs: number;
  /** What may always have happened. */
  readonly troubles: readonly Trouble[];
}

const grounds: readonly Ground[] = [
  // Nothing is explained by a lease that ended: a claim is lost only where Redis was made to lose it.
  { isolation: 'read committed', leaseMs: 30_000, troubles: [] },
  { isolation: 'repeatable read', leaseMs: 30_000, troubles: ['snapshots'] },
  // Renewed while attempts stand, and lost where they cannot be.
  { isolation: 'serializable', leaseMs: 100, troubles: ['snapshots', 'redis forgets'] },
];

/** Few by default: `RUNS=1000` looks for a night. Each is some 100 ms. */
const runs = Number(process.env['RUNS'] ?? 20);

for (const { isolation, leaseMs, troubles } of grounds)
  test(
    `whatever attempts and mishaps meet, what happens is a path through the model (${isolation}, a lease of ${leaseMs} ms)`,
    async () => {
      const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
      console.log(`seed ${seed} (set SEED to repeat)`);
      await using database = await freshDatabase();
      await using redis = await freshRedis();
      const db = database.pool({ max: 3 });
      await createBankTables(db);
      await postgresRecords(db).migrate();
      await db.query(`ALTER DATABASE ${database.name} SET default_transaction_isolation = '${isolation}'`);
      const stores = { databaseUrl: database.url, redisUrl: redis.url, redisPrefix: redis.prefix, leaseMs };
      const seen = new Set<string>();

      await fc.assert(
        fc.asyncProperty(plan, async (each) => {
          const run = await runAttempts(randomUUID(), each, { db, flush: redis.flush, ...stores });
          // A failed outcome keeps none of its handler's writes.
          expect(run.effects).toBe(run.status === 'COMPLETED' ? 1 : 0);
          const circumstances = {
            attempts: each.endings.length,
            troubles: new Set([...troubles, ...run.troubles]),
          };
          expect(unexplained(run.trace, circumstances)).toBeUndefined();
          for (const note of run.trace.notes) if ('sees' in note) seen.add(note.sees);
        }),
        // Real stores are not asked again and again for the smallest plan that fails.
        { seed, numRuns: runs, endOnFailure: true, examples: always.map((each) => [each]) },
      );
      expect([...seen]).toEqual(
        expect.arrayContaining([
          ...['claim ACQUIRED', 'claim IN_PROGRESS', 'claim UNAVAILABLE', 'begun', 'ran'],
          ...['transact settled', 'transact threw', 'release', 'settle'],
        ]),
      );
    },
    120_000 + runs * 2_000,
  );
