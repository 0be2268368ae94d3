import { expect, test } from 'vitest';
import { Browser } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { call, watched, world } from '../testing/world.js';

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
