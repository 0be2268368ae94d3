import fc from 'fast-check';
import { expect, test } from 'vitest';
import { effects, oneEuro, openBank, send } from '../bank/index.js';
import type { Sent } from '../bank/send.js';
import { said } from '../faults/answer.js';
import { until } from '../resources/index.js';

/** One thing that happens; those of one turn happen at once. */
type Event =
  | { readonly is: 'call'; readonly key: number; readonly user: number; readonly cents: number; at: number }
  | { readonly is: 'flush' | 'sweep' | 'cut Postgres' | 'cut Redis' | 'COMMIT lost' | 'its answer lost' };

const call: fc.Arbitrary<Event> = fc.record({
  is: fc.constant('call' as const),
  key: fc.nat(1),
  user: fc.nat(1),
  // Mostly the same input, now and then another.
  cents: fc.constantFrom(100, 100, 100, 200),
  at: fc.nat(1),
});
const trouble: fc.Arbitrary<Event> = fc.record({
  is: fc.constantFrom('flush', 'sweep', 'cut Postgres', 'cut Redis', 'COMMIT lost', 'its answer lost'),
});
const turns = fc.array(
  fc.array(fc.oneof({ weight: 4, arbitrary: call }, { weight: 1, arbitrary: trouble }), {
    minLength: 1,
    maxLength: 8,
  }),
  { minLength: 2, maxLength: 6 },
);

const runs = Number(process.env['RUNS'] ?? 15);
const allowed = ['IN_PROGRESS', 'STORE_UNAVAILABLE', 'FINGERPRINT_MISMATCH', 'released', 'unknown'];

test(
  'whatever calls and mishaps come together, each principal’s key takes effect once and is told one outcome',
  async () => {
    const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    console.log(`seed ${seed} (set SEED to repeat, RUNS for more than ${runs})`);
    await using bank = await openBank({ instances: 2, once: { findOutMs: 1_000, lookAfterMs: 100 } });
    let run = 0;

    async function happen(event: Event, name: string, answers: Map<string, Sent[]>): Promise<void> {
      switch (event.is) {
        case 'call': {
          const key = `${name}-${event.key}`;
          const user = `${key}-user-${event.user}`;
          const answer = await send(
            bank.instances[event.at]!.url,
            'transfer',
            { ...oneEuro, cents: event.cents },
            { key, user },
          );
          const id = JSON.stringify([key, user]);
          answers.set(id, [...(answers.get(id) ?? []), Object.assign(answer, { cents: event.cents })]);
          return;
        }
        case 'flush':
          return bank.flushClaims();
        case 'sweep':
          // Its connection may be cut as well; the next one goes on.
          return void (await bank.bank.once.sweeper.runOnce().catch(() => {}));
        case 'cut Postgres':
          return void bank.network.cut();
        case 'cut Redis':
          return bank.cutClaims();
        case 'COMMIT lost':
          return void bank.network.cutBefore('COMMIT', 'to-upstream');
        case 'its answer lost':
          return void bank.network.cutBefore('COMMIT', 'to-client');
      }
    }

    await fc.assert(
      fc.asyncProperty(turns, async (plan) => {
        const name = `run-${run++}`;
        const answers = new Map<string, (Sent & { cents?: number })[]>();
        for (const turn of plan) await Promise.all(turn.map((event) => happen(event, name, answers)));
        for (const [id, told] of answers) {
          const [key, user] = JSON.parse(id) as [string, string];
          // In the end one of the inputs that were sent has the key, and everybody else is refused for good.
          await until(
            async () => {
              for (const cents of [100, 200]) {
                const again = await send(bank.url, 'transfer', { ...oneEuro, cents }, { key, user });
                told.push(Object.assign(again, { cents }));
                if (again.status === 200) return true;
              }
              return false;
            },
            { withinMs: 20_000, everyMs: 100, what: `an outcome of ${id}` },
          );
          const outcomes = told.filter(({ status }) => status === 200);
          expect(new Set(outcomes.map(({ text }) => text)).size).toBe(1);
          expect(new Set(outcomes.map(({ cents }) => cents)).size).toBe(1);
          for (const answer of told) if (answer.status !== 200) expect(allowed).toContain(said(answer));
        }
        const keys = new Set([...answers.keys()].map((id) => (JSON.parse(id) as [string])[0]));
        for (const key of keys) {
          const principals = [...answers.keys()].filter(
            (id) => (JSON.parse(id) as [string])[0] === key,
          ).length;
          expect(await effects(bank.db, key)).toBe(principals);
        }
      }),
      { seed, numRuns: runs, endOnFailure: true },
    );
  },
  120_000 + runs * 5_000,
);
