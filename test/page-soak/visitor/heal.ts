import { Hung, inTime } from './in-time.js';
import { keptOnDisk } from './outbox-of.js';
import type { Tab } from './tab.js';
import type { Visitor } from './visitor.js';

/** How long everything may take to come to its end when nothing is broken any more, on a busy machine. */
const HEAL_MS = 90_000;

/** How long a page may take for one thing that it is asked, or told. */
const ANSWER_MS = 60_000;

/**
 * Mends all that the visitor broke, then looks as each account until nothing is pending, in no tab and not on disk. What
 * does not let itself be mended hangs.
 */
export async function heal(visitor: Visitor): Promise<void> {
  const { story, name } = visitor;
  await mendAndLook(visitor).catch(({ message }: Error) => {
    story.hung.push({ visitor: name, what: `while everything was mended: ${message.split('\n')[0]}` });
  });
}

async function mendAndLook(visitor: Visitor): Promise<void> {
  const { story, name } = visitor;
  await inTime('going online', ANSWER_MS, visitor.context.setOffline(false));
  await visitor.buryTheDead();
  if (visitor.tabs.length === 0) await visitor.openTab();
  for (const tab of visitor.tabs) await inTime(`mending tab ${tab.number}`, ANSWER_MS, mend(tab));
  for (const account of ['Ada', 'Ben']) {
    await signInAs(visitor, account);
    for (const tab of visitor.tabs) {
      await inTime(`turning to tab ${tab.number}`, ANSWER_MS, tab.front());
      const quiet = visitor.until(`nothing is pending for ${account}`, () => isQuiet(tab), HEAL_MS);
      await quiet.catch(async (error) => {
        if (error instanceof Hung) throw error;
        const text = await inTime(`reading tab ${tab.number}`, ANSWER_MS, textOf(tab));
        story.left.push({ visitor: name, what: `${account}, in tab ${tab.number}: ${text}` });
      });
    }
  }
  const [tab] = visitor.tabs;
  const none = async () => (await keptOnDisk(tab!)).length === 0;
  await visitor.until('the outbox is empty', none, HEAL_MS).catch(async (error) => {
    if (error instanceof Hung) throw error;
    story.left.push({ visitor: name, what: `on disk: ${JSON.stringify(await keptOnDisk(tab!))}` });
  });
}

async function mend(tab: Tab): Promise<void> {
  if (tab.frozen) await tab.thaw();
  await tab.front();
  await tab.page.getByRole('radio', { name: 'Works' }).check();
}

async function signInAs(visitor: Visitor, account: string): Promise<void> {
  const [tab] = visitor.tabs;
  await inTime(`turning to tab ${tab!.number}`, ANSWER_MS, tab!.front());
  const isIn = () => tab!.has(tab!.page.locator('.who strong', { hasText: account }));
  const step = async () => {
    if (await isIn()) return true;
    if (!(await tab!.tap(tab!.button(`Sign in as ${account}`)))) await tab!.tap(tab!.button('Sign out'));
    return isIn();
  };
  await visitor.until(`${account} is signed in`, step, HEAL_MS);
}

/** Taps what a person who wants to know would tap. */
async function isQuiet(tab: Tab): Promise<boolean> {
  const ask = tab.button('Ask now');
  if (await tab.has(ask)) await tab.tap(ask);
  return (await tab.page.locator('.count').textContent()) === '0';
}

async function textOf(tab: Tab): Promise<string> {
  return (await tab.page.locator('[aria-labelledby=outbox]').textContent()) ?? '';
}
