import { pick } from '../../soak/draw.js';
import { keptOnDisk } from './outbox-of.js';
import type { Tab } from './tab.js';
import type { Visitor } from './visitor.js';

/** A tap may still be on its way into the outbox. */
const LATELY_MS = 10_000;

/** Signs out, now and then leaving nothing behind. */
export async function signOut(tab: Tab, visitor: Visitor): Promise<string> {
  const purge = tab.button('Keep nothing here');
  if (visitor.random() < 0.3 && (await tab.has(purge))) {
    await forgetAll(tab, visitor);
    return `keeping nothing: ${await tab.tap(purge)}`;
  }
  return `keeping all: ${await tab.tap(tab.button('Sign out'))}`;
}

/** If nobody is. */
export async function signIn(tab: Tab, { random }: Visitor): Promise<string> {
  const name = pick(['Ada', 'Ben'], random);
  return `${name}: ${await tab.tap(tab.button(`Sign in as ${name}`))}`;
}

/** Whatever the account has in the outbox by now may be removed, so nobody counts on it any more. */
async function forgetAll(tab: Tab, { story, name }: Visitor): Promise<void> {
  const account = (await tab.page.locator('.who strong').textContent())?.toLowerCase();
  const since = Date.now() - LATELY_MS;
  for (const { owner, key } of await keptOnDisk(tab)) if (owner === account) story.forgotten.add(key);
  for (const { at, visitor, account: whose, cart } of story.taps)
    if (visitor === name && whose === account && at > since) story.forgotten.add(cart);
}
