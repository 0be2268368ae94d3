import { expect, test } from 'vitest';
import { Browser, type Tab } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { giveUp, HOUR, MINUTE, outage, rhythm } from '../testing/giving-up.js';
import { amongProcesses } from '../testing/processes.js';
import { lost, type OpenOptions, world } from '../testing/world.js';
import { isLeaseId } from './store/lease-id.js';
import type { Wake } from './waking/page-events.js';

/** Tabs over one storage, each with a session of its own, as sessionStorage has it; all of them resume by themselves. */
async function tabsOf(...owners: (string | null)[]) {
  const it = world();
  const browser = new Browser(it);
  const tabs = owners.map((owner) => openTab(browser, owner));
  await settled();
  return { it, browser, tabs };
}

interface Session {
  owner: string | null;
  /** The session is being read, and nobody can say whose it is. */
  unknown?: boolean;
}

function openTab(
  browser: Browser,
  owner: string | null,
  options: OpenOptions = {},
): Tab & { session: Session } {
  const session: Session = { owner };
  const tab = browser.open({
    rhythm,
    owner: () => {
      if (session.unknown) throw new Error('the session is not read yet');
      return session.owner;
    },
    ...options,
  });
  tab.outbox.start();
  return Object.assign(tab, { session });
}

test.each([['ann'], [null]])(
  'what ben gave up is asked for by time in his tab, though a tab of %s was there first',
  async (first) => {
    const { it, tabs } = await tabsOf(first, 'ben');
    it.script.push(() => lost);
    await giveUp(it, tabs[1]!.outbox);
    await it.clock.advance(MINUTE);
    expect(it.effects).toEqual(['spent']);
  },
);

test('of two tabs of one owner still only one asks by time, beside a tab of another owner', async () => {
  const { it, tabs } = await tabsOf('ann', 'ben', 'ben', 'ann');
  outage(it);
  await giveUp(it, tabs[2]!.outbox);
  await it.clock.advance(MINUTE);
  expect(it.sent.length).toBe(1);
});

test('a tab that waits to lead for somebody who signs out there leaves that line, and leads for the next who signs in', async () => {
  const { it, tabs } = await tabsOf('ann', 'ann', 'ann');
  const [leader, changing, waiting] = tabs;
  changing!.session.owner = 'ben';
  it.script.push(() => lost);
  await giveUp(it, changing!.outbox, { key: 'his' });
  outage(it);
  await giveUp(it, waiting!.outbox, { key: 'hers' });
  leader!.kill();
  await settled();
  it.script.length = 0;
  await it.clock.advance(MINUTE);
  expect(it.effects.toSorted()).toEqual(['hers', 'his']);
});

test('the leader that signs out leaves the lead to another tab of the same owner, session ended or not', async () => {
  for (const ends of [true, false]) {
    const { it, tabs } = await tabsOf('ann', 'ann');
    outage(it);
    await giveUp(it, tabs[1]!.outbox);
    const signedOut = tabs[0]!.outbox.signOut({ pending: 'keep' });
    await settled();
    await signedOut;
    if (ends) tabs[0]!.session.owner = null;
    it.script.length = 0;
    await it.clock.advance(MINUTE);
    expect(it.effects, `session ends: ${ends}`).toEqual(['spent']);
  }
});

test('who signs out alone has nothing resumed while their session still lasts, and all of it once they are back', async () => {
  const { it, tabs } = await tabsOf('ann');
  const [tab] = tabs;
  outage(it);
  await giveUp(it, tab!.outbox);
  await tab!.outbox.signOut({ pending: 'keep' });
  it.script.length = 0;
  tab!.outbox.snapshot();
  await it.clock.advance(HOUR);
  expect(it.sent).toEqual([]);
  tab!.session.owner = null;
  tab!.outbox.snapshot();
  tab!.session.owner = 'ann';
  tab!.outbox.snapshot();
  await it.clock.advance(MINUTE);
  expect(it.effects).toEqual(['spent']);
});

test('who signed out, and goes on without their session having ended, leads again', async () => {
  const { it, tabs } = await tabsOf('ann');
  await tabs[0]!.outbox.signOut({ pending: 'keep' });
  outage(it);
  await giveUp(it, tabs[0]!.outbox);
  it.script.length = 0;
  await it.clock.advance(2 * MINUTE);
  expect(it.effects).toEqual(['spent']);
});

test.each<[string, (tab: Tab, wake: (why: Wake) => void) => unknown]>([
  ['a look at the list', ({ outbox }) => outbox.list()],
  ['a look at the snapshot', ({ outbox }) => outbox.snapshot()],
  ['resume()', ({ outbox }) => outbox.resume()],
  ['the device online again', (_, wake) => wake('online')],
  ['nothing but time', () => {}],
])('who signs in without a word is noticed by %s', async (what, act) => {
  const it = world();
  const browser = new Browser(it);
  it.script.push(() => lost);
  const former = openTab(browser, 'ben');
  await giveUp(it, former.outbox);
  former.kill();
  let wake: (why: Wake) => void = () => {};
  const onWake: OpenOptions['onWake'] = (listener) => {
    wake = listener;
    return () => {};
  };
  // One leads for ann already, and the one that is looked at waits.
  openTab(browser, 'ann');
  const tab = openTab(browser, 'ann', { onWake });
  await settled();
  expect(it.sent).toEqual([]);
  tab.session.owner = 'ben';
  act(tab, wake);
  await it.clock.advance(what.includes('time') ? MINUTE : 1);
  expect(it.effects).toEqual(['spent']);
});

test('nobody’s is asked for while nobody can say who is signed in, and nobody is kept from leading', async () => {
  const { it, tabs } = await tabsOf('ann', 'ann');
  const [unsure, sure] = tabs;
  unsure!.session.unknown = true;
  await expect(unsure!.outbox.list()).rejects.toThrow('not read yet');
  it.script.push(() => lost);
  await giveUp(it, sure!.outbox);
  await it.clock.advance(MINUTE);
  expect(it.effects).toEqual(['spent']);
});

test('who cannot be named when the page begins has everything resumed as soon as they can', async () => {
  const it = world();
  const browser = new Browser(it);
  it.script.push(() => lost);
  const former = openTab(browser, 'ann');
  await giveUp(it, former.outbox);
  former.kill();
  let owner: string | undefined;
  const name = () => owner ?? expect.fail('not read yet');
  browser.open({ rhythm, owner: name }).outbox.start();
  await it.clock.advance(1_000);
  expect(it.sent).toEqual([]);
  owner = 'ann';
  await it.clock.advance(3_000);
  expect(it.effects).toEqual(['spent']);
});

test('what only somebody can change is not asked for again because owners come and go', async () => {
  const { it, tabs } = await tabsOf('ann');
  const [tab] = tabs;
  it.script.push(() => lost);
  await giveUp(it, tab!.outbox);
  const [[id, text]] = [...it.texts] as [[string, string]];
  it.texts.set(id, JSON.stringify({ ...JSON.parse(text), state: 'parked', parked: 'unauthorized' }));
  await tab!.outbox.list();
  for (const owner of [null, 'ann', null, 'ann']) {
    tab!.session.owner = owner;
    await tab!.outbox.list();
    await it.clock.advance(MINUTE);
  }
  expect(it.sent).toEqual([]);
});

test('processes of two owners, by leases: each owner’s are asked for by time', async () => {
  const it = world();
  const open = (owner: string) => {
    const outbox = it.open({ rhythm, owner: () => owner, coordination: amongProcesses(it) });
    outbox.start();
    return outbox;
  };
  const [anns, bens] = [open('ann'), open('ben')];
  await it.clock.advance(1_000);
  it.script.push(() => lost);
  await giveUp(it, bens!);
  await it.clock.advance(MINUTE);
  expect(it.effects).toEqual(['spent']);
  for (const outbox of [anns, bens]) {
    const closed = outbox!.close();
    await it.clock.advance(1_000);
    await closed;
  }
  expect([...it.texts.keys()].filter(isLeaseId)).toEqual([]);
});

test.each<[what: string, old: OpenOptions]>([
  ['does not know the procedure', { app: 'before the deploy', knows: (path) => path !== 'orders.place' }],
  ['sends elsewhere', { app: 'the admin', server: 'https://admin.example/trpc' }],
])(
  'a tab that was there first and %s neither parks what a new one sends nor keeps it from being asked for by time',
  async (_, old) => {
    const it = world();
    const browser = new Browser(it);
    openTab(browser, 'ann', old);
    await settled();
    const page = openTab(browser, 'ann');
    await settled();
    it.script.push(() => lost);
    await giveUp(it, page.outbox);
    expect(await page.outbox.list()).toMatchObject([{ state: 'waiting' }]);
    await it.clock.advance(MINUTE);
    expect(it.effects).toEqual(['spent']);
    expect(it.events.map(({ type }) => type)).not.toContain('parked');
  },
);
