import { expect, test } from 'vitest';
import { Browser } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { call, fails, textStorage, watched, world } from '../testing/world.js';

/** Storage that keeps whoever writes waiting, from the first write that `slow` names, until `go()`. */
function slowStorage(texts: Map<string, string>, slow: (text: string | undefined) => boolean) {
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const fast = textStorage(texts);
  const storage = textStorage(texts, {
    async swap(id, former, next) {
      if (slow(next)) await gate;
      return fast.swap(id, former, next);
    },
    async delete(id) {
      if (slow(undefined)) await gate;
      return fast.delete(id);
    },
  });
  return { storage, go: () => go() };
}

/** What else a tab can have done while another one's write was on its way. */
const looks = ['opened', 'read again'] as const;

test.each(looks)(
  'a tab that was %s between the news of a delivery and the removal forgets the operation too',
  async (look) => {
    const it = world();
    const browser = new Browser(it);
    const { storage, go } = slowStorage(it.texts, (text) => text === undefined);
    const one = browser.open({ storage });
    const early = browser.open();
    const seen = watched(one.outbox.submit(call()));
    await settled();
    expect(seen.data).toContain('done');
    const other = look === 'opened' ? browser.open() : early;
    const heard: string[] = [];
    other.outbox.subscribe(({ type }) => heard.push(type));
    // Storage still has it.
    expect((await other.outbox.list()).map(({ state }) => state)).toEqual(['settled']);
    go();
    await settled();
    expect(other.outbox.snapshot()).toEqual([]);
    expect(heard.at(-1)).toBe('delivered');
  },
);

test.each(looks)(
  'a tab that was %s between the news of a step and its write shows the step',
  async (look) => {
    const it = world();
    const browser = new Browser(it);
    const { storage, go } = slowStorage(it.texts, (text) => text?.includes('"parked"') === true);
    const one = browser.open({ storage });
    const early = browser.open();
    it.script.push(() => fails(401));
    watched(one.outbox.submit(call()));
    await settled();
    const other = look === 'opened' ? browser.open() : early;
    expect((await other.outbox.list()).map(({ state }) => state)).toEqual(['persisted']);
    go();
    await settled();
    expect(other.outbox.snapshot().map(({ parked }) => parked)).toEqual(['unauthorized']);
  },
);

test('a call made after the news of a delivery is an operation of its own, however long the removal takes', async () => {
  const it = world();
  const browser = new Browser(it);
  const { storage, go } = slowStorage(it.texts, (text) => text === undefined);
  const one = browser.open({ storage });
  let read = () => {};
  const reading = new Promise<void>((resolve) => {
    read = resolve;
  });
  const texts = textStorage(it.texts);
  const entries = () => reading.then(texts.entries);
  const other = browser.open({ storage: { ...texts, entries } });
  const first = watched(one.outbox.submit(call({ intent: 'again' })));
  await settled();
  await it.clock.advance(1_000);
  const second = watched(other.outbox.submit(call({ intent: 'again' })));
  await settled();
  await it.clock.advance(1_000);
  go();
  await settled();
  read();
  await settled();
  expect([first.data, second.data]).toEqual(it.effects.map((key) => `done ${key}`));
  expect(it.effects.length).toBe(2);
});

test('every step is told once in the other tabs, though it is said again when storage has it', async () => {
  const it = world();
  const browser = new Browser(it);
  const other = browser.open();
  const heard: string[] = [];
  other.outbox.subscribe(({ type }) => heard.push(type));
  watched(browser.open().outbox.submit(call()));
  await settled();
  expect(heard).toEqual(['persisted', 'sending', 'settled', 'delivered']);
});

test('news of an operation that come after it was delivered do not bring it back', async () => {
  const it = world();
  const browser = new Browser(it);
  const [one, other] = [browser.open(), browser.open()];
  const late: (() => void)[] = [];
  browser.carry = (arrive) => void late.push(arrive);
  it.script.push(() => fails(503));
  watched(one.outbox.submit(call({ key: 'mine' })));
  await settled();
  one.kill();
  const seen = watched(other.outbox.submit(call({ key: 'mine' })));
  await it.clock.advance(10_000);
  expect([seen.data, it.sent.length, late.length > 0]).toEqual(['done mine', 2, true]);
  for (const arrive of late) arrive();
  await settled();
  expect(other.outbox.snapshot()).toEqual([]);
});

test('late news of a refusal do not end a later operation with its key', async () => {
  const it = world();
  const browser = new Browser(it);
  const [one, other] = [browser.open(), browser.open()];
  const late: (() => void)[] = [];
  browser.carry = (arrive) => void late.push(arrive);
  it.script.push(() => fails(403));
  const refused = watched(one.outbox.submit(call({ key: 'mine' })));
  await settled();
  expect(refused.error).toMatchObject({ data: { httpStatus: 403 } });
  await it.clock.advance(1_000);
  let answer = () => {};
  it.script.push((_, commit) => new Promise((resolve) => (answer = () => resolve(commit()))));
  const seen = watched(other.outbox.submit(call({ key: 'mine' })));
  await settled();
  for (const arrive of late.splice(0)) arrive();
  await settled();
  expect(seen.ended).toBe(false);
  expect(other.outbox.snapshot().map(({ state }) => state)).toEqual(['sending']);
  answer();
  await settled();
  expect(seen.data).toBe('done mine');
  expect(it.texts.size).toBe(0);
});

test('an operation that another tab ended is not taken for an earlier one with its key', async () => {
  const it = world();
  const browser = new Browser(it);
  const [one, other] = [browser.open(), browser.open()];
  it.script.push(() => fails(403));
  await expect(other.outbox.submit(call({ key: 'mine' }))).rejects.toMatchObject({
    data: { httpStatus: 403 },
  });
  await it.clock.advance(1_000);
  let answer = () => {};
  it.script.push((_, commit) => new Promise((resolve) => (answer = () => resolve(commit()))));
  const first = watched(one.outbox.submit(call({ key: 'mine' })));
  await settled();
  const seen = watched(other.outbox.submit(call({ key: 'mine' })));
  await settled();
  const late: (() => void)[] = [];
  browser.carry = (arrive) => void late.push(arrive);
  answer();
  await settled();
  expect([first.data, seen.ended]).toEqual(['done mine', false]);
  for (const arrive of late.splice(0)) arrive();
  await settled();
  expect(seen.data).toBe('done mine');
});

test('a call whose operation goes from storage before the news of its outcome come is told that outcome, and is no second one', async () => {
  const it = world();
  const browser = new Browser(it);
  const texts = textStorage(it.texts);
  const entries = async () => {
    await new Promise<void>((resolve) => it.clock.after(10, resolve));
    return texts.entries();
  };
  const [one, other] = [browser.open(), browser.open({ storage: { ...texts, entries } })];
  let answer = () => {};
  it.script.push((_, commit) => new Promise((resolve) => (answer = () => resolve(commit()))));
  const intent = 'checkout:1';
  const first = watched(one.outbox.submit(call({ intent })));
  await settled();
  const known = watched(other.outbox.list());
  await it.clock.advance(20);
  expect(known.data).toHaveLength(1);
  browser.carry = (arrive) => void it.clock.after(500, arrive);
  const second = watched(other.outbox.submit(call({ intent })));
  answer();
  await it.clock.advance(100);
  expect([first.ended, second.ended, it.texts.size]).toEqual([true, false, 0]);
  await it.clock.advance(1_000);
  expect(second.data).toBe(first.data);
  expect(it.effects).toHaveLength(1);
});
