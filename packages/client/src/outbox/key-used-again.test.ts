import { expect, test } from 'vitest';
import { Browser, type Tab } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { call, lost, rejection, type World, watched, world } from '../testing/world.js';

const names = { key: 'cart-1', keyGiven: true, intent: 'checkout:1' };

test('a key whose operation another tab purged while it was being asked for can be used again at once: kept, sent, and told', async () => {
  const it = world();
  const browser = new Browser(it);
  const tab = browser.open().outbox;
  it.script.push(() => new Promise(() => {}));
  const first = watched(tab.submit(call(names)));
  await settled();
  await browser.open().outbox.signOut({ pending: 'purge' });
  await it.clock.advance(1);
  const again = watched(tab.submit(call(names)));
  await it.clock.advance(10_000);
  expect(again.data).toBe('done cart-1');
  expect(first.error).toMatchObject({ name: 'OutcomeUnknownError' });
  expect(it.sent.map(({ key }) => key)).toEqual(['cart-1', 'cart-1']);
  expect(it.texts.size).toBe(0);
});

/** The next attempt is answered when the test says so. */
function held(it: World): () => void {
  let answer = () => {};
  it.script.push((_, commit) => new Promise((resolve) => (answer = () => resolve(commit()))));
  return () => answer();
}

/** How a tab comes to wait for the news of an operation that another one has purged, without the hold on it. */
const bereft: readonly [string, (it: World, tab: Tab, other: Tab) => Promise<void>][] = [
  [
    'that waited for its turn in a lane',
    async (it, { outbox }, other) => {
      const answer = held(it);
      watched(outbox.submit(call({ lane: 'cart' })));
      watched(outbox.submit(call({ ...names, lane: 'cart' })));
      await settled();
      await other.outbox.signOut({ pending: 'purge' });
      answer();
      await settled();
    },
  ],
  [
    'that was frozen',
    async (it, tab, other) => {
      it.script.push(() => new Promise((resolve) => it.clock.after(100, () => resolve(lost))));
      watched(tab.outbox.submit(call(names)));
      await settled();
      await other.outbox.signOut({ pending: 'purge' });
      await it.clock.advance(100);
      tab.freeze();
    },
  ],
];

test.each(bereft)(
  'a tab %s when its operation was purged elsewhere, and the key used again there, stores and sends the next call of that key',
  async (_, bereave) => {
    const it = world();
    const browser = new Browser(it);
    const [tab, other] = [browser.open(), browser.open()];
    await bereave(it, tab, other);
    await it.clock.advance(1);
    const answer = held(it);
    const elsewhere = watched(other.outbox.submit(call(names)));
    await settled();
    tab.wake();
    await it.clock.advance(5_000);
    answer();
    await it.clock.advance(5_000);
    expect(elsewhere.data).toBe('done cart-1');
    const sent = it.sent.length;
    const here = watched(tab.outbox.submit(call(names)));
    await it.clock.advance(5_000);
    expect(here.data).toBe('done cart-1');
    expect(it.sent).toHaveLength(sent + 1);
    expect(it.texts.size).toBe(0);
  },
);

test('a key whose operation was purged elsewhere, and whose run cannot end yet, is refused: its call is neither lost nor left waiting', async () => {
  const it = world();
  // As many as a resume asks for at once, and one more.
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'last'];
  for (const key of keys) {
    it.script.push(() => lost);
    await rejection(it.open().submit(call({ key, retry: { maxAttempts: 1 } })));
    await it.clock.advance(1);
  }
  const browser = new Browser(it);
  const [tab, other] = [browser.open(), browser.open()];
  for (const _ of keys) it.script.push(() => new Promise(() => {}));
  watched(tab.outbox.resume());
  await settled();
  await other.outbox.signOut({ pending: 'purge' });
  await it.clock.advance(1);
  const again = watched(tab.outbox.submit(call({ key: 'last', waitMs: 1_000 })));
  await it.clock.advance(30_000);
  expect(again.error).toMatchObject({ name: 'NotSentError', reason: 'storage' });
  expect(it.texts.size).toBe(0);
});
