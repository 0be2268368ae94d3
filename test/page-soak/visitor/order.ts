import { pick } from '../../soak/draw.js';
import { signIn } from './accounts.js';
import type { Tab } from './tab.js';
import type { Visitor } from './visitor.js';

const products = ['Green tea, 100 g', 'Black tea, 100 g', 'Cast-iron pot', 'Cup from a closed pottery'];

/** How a finger may come down on the button. */
const ways: Readonly<Record<string, (tab: Tab, visitor: Visitor) => Promise<unknown>>> = {
  once: (tab) => tab.tap(tab.shop.placeButton),
  twice: (tab) => tab.tap(tab.shop.placeButton, 2),
  thrice: (tab) => tab.tap(tab.shop.placeButton, 3),
  'twice in one tick': (tab) =>
    tab.shop.placeButton.evaluate(
      (button: HTMLElement) => {
        button.click();
        button.click();
      },
      undefined,
      { timeout: 2_000 },
    ),
  'with Enter': async (tab) => {
    await tab.shop.placeButton.focus({ timeout: 2_000 });
    await tab.page.keyboard.press('Enter');
    await tab.page.keyboard.press('Enter');
  },
  'in all tabs': (_, { tabs }) =>
    Promise.all(
      tabs
        .filter(({ frozen, dead }) => !frozen && !dead)
        .map(({ shop }) =>
          shop.placeButton.evaluate((button: HTMLElement) => button.click(), undefined, { timeout: 2_000 }),
        ),
    ),
};

/** Fills the cart and taps; does not wait to see what comes of it. */
export async function order(tab: Tab, visitor: Visitor): Promise<string> {
  const { random } = visitor;
  const product = pick(products, random);
  const way = pick(Object.keys(ways), random);
  await signIn(tab, visitor);
  const more = tab.button(`One ${product} more`);
  // The shelf is filled from the shop, which may be down.
  await more.waitFor({ timeout: 3_000 }).catch(() => {});
  const filled = await tab.tap(more);
  // Not there, or not any more: a tap on nothing.
  await ways[way]!(tab, visitor).catch(() => {});
  return `${product}, ${way}${filled ? '' : ' (the shelf could not be reached)'}`;
}
