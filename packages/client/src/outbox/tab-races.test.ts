import fc from 'fast-check';
import { test } from 'vitest';
import { race, type Scheduled, type Step } from '../testing/race.js';

/** How many turns later the next step comes, in the middle of whatever is going on; or when all is quiet. */
const pauses = fc.option(fc.nat(25), { nil: undefined });

const schedules = (...steps: fc.WeightedArbitrary<Step>[]) =>
  fc.array(fc.tuple(fc.oneof(...steps), pauses), { minLength: 5, maxLength: 30 });

const tab = fc.nat(3);
const mishap = fc.record({ do: fc.constant('meet' as const), what: fc.nat(5) });
const time = fc.record({ do: fc.constant('pass' as const), ms: fc.nat(9_000) });
const sleep = fc.record({ do: fc.constantFrom('freeze', 'wake'), tab });
const purge = fc.record({ do: fc.constant('purge' as const), tab });
const open = fc.constant({ do: 'open' as const });

test('however tabs open, call, sleep, wake and die: one sender, one key for an intent, nobody else’s sent, nothing lost, every caller told', async () => {
  const call = fc.record({
    do: fc.constant('call' as const),
    tab,
    cart: fc.nat(2),
    by: fc.constantFrom('intent', 'key'),
    lane: fc.boolean(),
  });
  const rest = fc.record({ do: fc.constantFrom('resume', 'kill'), tab });
  const signIn = fc.record({ do: fc.constant('sign in' as const), owner: fc.constantFrom('ann', 'ben') });
  const all = schedules(
    { weight: 2, arbitrary: open },
    { weight: 6, arbitrary: call },
    { weight: 2, arbitrary: sleep },
    { weight: 2, arbitrary: rest },
    { weight: 1, arbitrary: purge },
    { weight: 1, arbitrary: signIn },
    { weight: 4, arbitrary: mishap },
    { weight: 5, arbitrary: time },
  );
  await fc.assert(fc.asyncProperty(all, race), { numRuns: 60 });
});

test('however often two tabs use a key again, purge its operation and sleep over it: every call is stored and told, or refused', async () => {
  const slow = fc.record({ do: fc.constant('meet' as const), what: fc.constantFrom(0, 5) });
  const time = fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 3_000 }) });
  // In an order in which much can go wrong, each step now and then left out.
  const round = fc.nat(1).chain((here) => {
    const other = 1 - here;
    const call = (tab: number) =>
      fc.record({
        do: fc.constant('call' as const),
        tab: fc.constant(tab),
        cart: fc.constantFrom(0, 0, 1),
        by: fc.constant('key' as const),
        lane: fc.boolean(),
      });
    const does = (what: 'purge' | 'freeze' | 'wake', tab: number) => fc.constant({ do: what, tab });
    const steps: fc.Arbitrary<Step>[] = [
      ...[slow, call(here), call(here), does('purge', other), time, does('freeze', here)],
      ...[slow, call(other), does('wake', here), time, time, call(here), time],
    ];
    return fc.tuple(...steps.map((step) => fc.option(fc.tuple(step, pauses), { freq: 6 })));
  });
  const all = fc
    .array(round, { minLength: 1, maxLength: 3 })
    .map((rounds) => rounds.flat().filter((step) => step !== null));
  const two: Scheduled = [{ do: 'open' }, undefined];
  await fc.assert(
    fc.asyncProperty(all, (steps) => race([two, ...steps])),
    { numRuns: 150 },
  );
});
