import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Browser, type Tab } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { call, fails, lost, refused, watched, world } from '../testing/world.js';

type Step =
  | { readonly do: 'open' }
  | { readonly do: 'call'; readonly tab: number; readonly intent: number; readonly lane: boolean }
  | { readonly do: 'resume' | 'kill' | 'freeze' | 'wake'; readonly tab: number }
  | { readonly do: 'sign in'; readonly owner: 'ann' | 'ben' }
  | { readonly do: 'meet'; readonly what: number }
  | { readonly do: 'pass'; readonly ms: number };

const tab = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ do: 'open' as const }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      tab,
      intent: fc.nat(2),
      lane: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('resume', 'kill', 'freeze', 'wake'), tab }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('sign in' as const), owner: fc.constantFrom('ann', 'ben') }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('meet' as const), what: fc.nat(5) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(9_000) }) },
);

/** How many turns later the next step comes, in the middle of whatever is going on; or when all is quiet. */
const pauses = fc.option(fc.nat(25), { nil: undefined });

test('however tabs open, call, sleep, wake and die: one sender, one key for an intent, nobody else’s sent, nothing lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, pauses), { minLength: 5, maxLength: 30 }), async (steps) => {
      const it = world();
      const browser = new Browser(it);
      const owners = new Map<string, string | null>();
      const heard = new Set<string>();
      const wrong: string[] = [];
      const set = it.texts.set.bind(it.texts);
      it.texts.set = (id, text) => {
        const { owner, intent, key } = JSON.parse(text);
        for (const other of it.texts.values()) {
          const record = JSON.parse(other);
          if (record.owner === owner && record.intent === intent && record.key !== key)
            wrong.push(`${key} is a second key for ${intent}`);
        }
        return set(id, text);
      };
      const { send } = it;
      it.send = async (attempt) => {
        const answer = send(attempt);
        if (it.sent.at(-1) === attempt && owners.get(attempt.key) !== it.signedIn)
          wrong.push(`${attempt.key} was sent for another owner`);
        return answer;
      };
      const mishaps = [
        () => lost,
        () => refused,
        () => fails(503),
        () => fails(409, { refusal: 'IN_PROGRESS' as const }),
        (_: unknown, commit: () => unknown) => {
          commit();
          return lost;
        },
        (_: unknown, commit: () => any) =>
          new Promise<any>((resolve) => it.clock.after(4_000, () => resolve(commit()))),
      ];
      const tabs: Tab[] = [];
      const open = () => {
        const one = browser.open();
        one.outbox.start();
        tabs.push(one);
      };
      open();
      for (const [one, turns] of steps) {
        const at = 'tab' in one ? tabs[one.tab % tabs.length] : undefined;
        switch (one.do) {
          case 'open':
            if (tabs.length < 4) open();
            break;
          case 'call': {
            let key = '';
            const owner = it.signedIn;
            const made = call({
              intent: `intent ${one.intent}`,
              onKey: (its) => {
                key = its;
                owners.set(its, owner);
              },
              ...(one.lane && { lane: 'lane' }),
            });
            at?.outbox.submit(made).then(
              () => heard.add(key),
              () => {},
            );
            break;
          }
          case 'resume':
            watched(at!.outbox.resume());
            break;
          case 'kill':
            at?.kill();
            tabs.splice(tabs.indexOf(at!), 1);
            if (tabs.length === 0) open();
            break;
          case 'freeze':
            at?.freeze();
            break;
          case 'wake':
            at?.wake();
            break;
          case 'sign in':
            it.signedIn = one.owner;
            break;
          case 'meet':
            it.script.push(mishaps[one.what] as never);
            break;
          case 'pass':
            await it.clock.advance(one.ms);
        }
        if (turns === undefined) await settled();
        for (let turn = 0; turn < (turns ?? 0); turn += 1) await undefined;
      }
      for (const one of tabs) one.kill();
      it.script.length = 0;
      for (const owner of ['ann', 'ben']) {
        it.signedIn = owner;
        const last = browser.open();
        const report = watched(last.outbox.resume());
        await it.clock.advance(300_000);
        expect(report.ended).toBe(true);
      }
      expect(wrong).toEqual([]);
      expect(browser.mostSenders).toBeLessThanOrEqual(1);
      for (const { operation } of it.told) heard.add(operation.key);
      expect(it.effects.filter((key) => !heard.has(key))).toEqual([]);
      expect([...it.texts.keys()]).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
