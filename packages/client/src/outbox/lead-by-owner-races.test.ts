import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Evidence } from '../attempts/evidence.js';
import { Browser } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { MINUTE, rhythm } from '../testing/giving-up.js';
import { amongProcesses } from '../testing/processes.js';
import { call, lost, refused, watched, world } from '../testing/world.js';
import type { DurableOutbox } from './durable-outbox.js';

const OWNERS = ['ann', 'ben', null] as const;
type Owner = (typeof OWNERS)[number];

// Of an owner() that throws within an event, and of a second call with the same input.
beforeEach(() => {
  for (const method of ['error', 'warn'] as const) vi.spyOn(console, method).mockImplementation(() => {});
});
afterEach(() => void vi.restoreAllMocks());

const tab = fc.nat(2);
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('sign in' as const), tab, owner: fc.constantFrom(...OWNERS) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('call' as const), tab, retries: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('meet' as const), what: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sign out' as const), tab, purges: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('unknown' as const, 'look' as const, 'sleep' as const), tab }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(0, 100, 3_000, 40_000, 400_000),
    }),
  },
);
/** How many turns later the next step comes, in the middle of whatever is going on; or when all is quiet. */
const pauses = fc.option(fc.nat(12), { nil: undefined });

/** Three of them over one storage, each with a session of its own. */
function three(leases: boolean) {
  const it = world();
  const browser = new Browser(it);
  const sessions = Array.from({ length: 3 }, () => ({ owner: 'ann' as Owner, unknown: false }));
  const tabs = sessions.map((session) => {
    const options = {
      rhythm,
      owner: () => {
        if (session.unknown) throw new Error('the session is not read yet');
        return session.owner;
      },
      network: async (attempt: { owner: Owner }, send: () => Promise<Evidence>) => {
        const here = session.unknown ? 'nobody knows who' : session.owner;
        const evidence = await send();
        if (attempt.owner !== here && evidence.kind !== 'withheld')
          wrong.push(`${attempt.owner}’s was sent where ${here} is`);
        return evidence;
      },
    };
    if (!leases) return browser.open(options as never);
    return {
      outbox: it.open({ ...options, coordination: amongProcesses(it) } as never),
      freeze() {},
      wake() {},
    };
  });
  const wrong: string[] = [];
  for (const { outbox } of tabs) outbox.start();
  return { it, sessions, tabs, wrong };
}

test.each([
  ['Web Locks', false],
  ['leases', true],
] as const)(
  'by %s: however owners come and go in three tabs, nothing is sent for another, and everybody who is there has theirs',
  async (_, leases) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, pauses), { minLength: 4, maxLength: 25 }), async (steps) => {
        const { it, sessions, tabs, wrong } = three(leases);
        await settled();
        for (const [one, turns] of steps) {
          const session = 'tab' in one ? sessions[one.tab]! : sessions[0]!;
          const at = 'tab' in one ? tabs[one.tab]! : tabs[0]!;
          if (one.do === 'sign in') session.owner = one.owner;
          else if (one.do === 'unknown') session.unknown = !session.unknown;
          else if (one.do === 'look') watched(at.outbox.list());
          else if (one.do === 'sleep') {
            at.freeze();
            await settled();
            at.wake();
          } else if (one.do === 'call')
            watched(at.outbox.submit(call({ retry: { maxAttempts: one.retries ? 3 : 1 } })));
          else if (one.do === 'meet') it.script.push(() => (one.what === 0 ? lost : refused));
          else if (one.do === 'pass') await it.clock.advance(one.ms);
          else if (one.do === 'sign out' && !session.unknown && session.owner !== null) {
            const pending = one.purges ? ('purge' as const) : ('keep' as const);
            const out = watched(at.outbox.signOut({ pending, waitMs: 100 }).catch(() => {}));
            await it.clock.advance(20_000);
            expect(out.ended).toBe(true);
            // The page says so. Whoever stays signed in is left alone until something resumes theirs.
            session.owner = null;
            at.outbox.snapshot();
          }
          if (turns === undefined) await settled();
          for (let turn = 0; turn < (turns ?? 0); turn += 1) await undefined;
        }
        await quiet(it, sessions, tabs);
        expect(wrong).toEqual([]);
        const here = sessions.map(({ owner }) => owner);
        const left = [...it.texts].filter(([id]) => !id.startsWith('lease'));
        expect(
          left.filter(([, text]) => here.includes(JSON.parse(text).owner)).map(([, text]) => text),
        ).toEqual([]);
      }),
      // Those who wait for a lease look for it five times a second, all those hours.
      { numRuns: leases ? 10 : 30 },
    );
  },
  60_000,
);

/** Everybody’s session can be read again, the network is well, and time goes by; nobody does anything. */
async function quiet(
  it: ReturnType<typeof world>,
  sessions: { unknown: boolean }[],
  tabs: { outbox: DurableOutbox }[],
): Promise<void> {
  it.script.length = 0;
  for (const session of sessions) session.unknown = false;
  expect(tabs.length).toBe(3);
  await it.clock.advance(45 * MINUTE);
}
