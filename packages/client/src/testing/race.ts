import { expect } from 'vitest';
import { Browser, type Tab } from './browser.js';
import { settled } from './fake-clock.js';
import { call, fails, refused, lost as silence, watched, world } from './world.js';

/** A cart's order: by its intent, or under a key of its own, which is used again when the cart is ordered once more. */
export interface Named {
  readonly cart: number;
  readonly by: 'intent' | 'key';
  readonly lane: boolean;
}

export type Step =
  | { readonly do: 'open' }
  | ({ readonly do: 'call'; readonly tab: number } & Named)
  | { readonly do: 'resume' | 'purge' | 'kill' | 'freeze' | 'wake'; readonly tab: number }
  | { readonly do: 'sign in'; readonly owner: 'ann' | 'ben' }
  | { readonly do: 'meet'; readonly what: number }
  | { readonly do: 'pass'; readonly ms: number };

/** A step, and how many turns later the next one comes, in the middle of whatever is going on; or when all is quiet. */
export type Scheduled = readonly [step: Step, turns: number | undefined];

/** One call, and what its caller was told. */
interface Made {
  readonly by: Tab;
  readonly owner: string | null;
  /** How many answers had come when it was made. */
  readonly since: number;
  key: string;
  /** Whether its owner has had everything removed since. */
  purged?: boolean;
  told?: { readonly data: unknown } | { readonly error: any };
}

/** Whether its caller was told that there is no outcome, but will be. */
const isToldKept = ({ told }: Made) =>
  told && 'error' in told && told.error.name !== 'NotSentError' && told.error.reason !== 'elsewhere';

/**
 * Has tabs do as scheduled, then lets everything come to its end, and holds what became of it to the promise: one sender,
 * one key for an intent, nobody else's sent, nothing lost, every caller told; and every key can be used again in every tab.
 */
export async function race(steps: readonly Scheduled[]): Promise<void> {
  const it = world();
  const browser = new Browser(it);
  const owners = new Map<string, string | null>();
  const heard = new Set<string>();
  const made: Made[] = [];
  /** The keys that were answered, in the order of the answers. */
  const answered: string[] = [];
  const wrong: string[] = [];
  const set = it.texts.set.bind(it.texts);
  it.texts.set = (id, text) => {
    const { owner, intent, key } = JSON.parse(text);
    for (const other of it.texts.values()) {
      const record = JSON.parse(other);
      if (intent && record.owner === owner && record.intent === intent && record.key !== key)
        wrong.push(`${key} is a second key for ${intent}`);
    }
    return set(id, text);
  };
  const { send } = it;
  it.send = async (attempt) => {
    const answering = send(attempt);
    if (it.sent.at(-1) === attempt && owners.get(attempt.key) !== it.signedIn)
      wrong.push(`${attempt.key} was sent for another owner`);
    const evidence = await answering;
    if (evidence.kind === 'answer' && evidence.status === 200) answered.push(attempt.key);
    return evidence;
  };
  const mishaps = [
    () => silence,
    () => refused,
    () => fails(503),
    () => fails(409, { refusal: 'IN_PROGRESS' as const }),
    (_: unknown, commit: () => unknown) => {
      commit();
      return silence;
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
        const { cart, by, lane } = one;
        const owner = it.signedIn;
        const its: Made = { by: at!, owner, key: '', since: answered.length };
        made.push(its);
        const onKey = (key: string) => {
          its.key = key;
          owners.set(key, owner);
        };
        const named = by === 'key' ? { key: `${owner}'s cart ${cart}` } : { intent: `cart ${cart}` };
        at!.outbox.submit(call({ ...named, onKey, ...(lane && { lane: 'lane' }) })).then(
          (data) => {
            its.told = { data };
            heard.add(its.key);
          },
          (error) => {
            // A tab that is dead tells nobody anything.
            if (tabs.includes(its.by)) its.told = { error };
            its.key ||= error.key;
          },
        );
        break;
      }
      case 'resume':
        watched(at!.outbox.resume());
        break;
      case 'purge': {
        const owner = it.signedIn;
        const forget = () => {
          for (const call of made) if (call.owner === owner) call.purged = true;
        };
        forget();
        // Of what is called meanwhile nobody knows whether it was before.
        at!.outbox.signOut({ pending: 'purge' }).then(forget, forget);
        break;
      }
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
  it.script.length = 0;
  for (const one of tabs) one.wake();
  // Longer than any caller waits.
  await it.clock.advance(300_000);
  for (const { by, key, told } of made)
    if (tabs.includes(by) && !told) wrong.push(`the caller of ${key} hears nothing`);
  for (const [key, owner] of owners)
    for (const { outbox } of tabs) {
      it.signedIn = owner;
      const again = watched(outbox.submit(call({ key })));
      await it.clock.advance(60_000);
      if (again.data === `done ${key}`) heard.add(key);
      else wrong.push(`${key} cannot be used again: ${String(again.error)}`);
    }
  for (const one of tabs) one.kill();
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
  for (const { key, purged } of made) if (purged) heard.add(key);
  expect(it.effects.filter((key) => !heard.has(key))).toEqual([]);
  const lost = made.filter(
    (one) => isToldKept(one) && !one.purged && !answered.slice(one.since).includes(one.key),
  );
  expect(lost.map(({ told }) => told)).toEqual([]);
  expect([...it.texts.keys()]).toEqual([]);
}
