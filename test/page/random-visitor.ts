import { randomFrom } from '@trpc-once/faulty-network';
import { until } from '@trpc-once/local-services';
import type { BrowserContext } from 'playwright-core';
import { type Mode, ShopPage } from './shop-page.js';

const modes: readonly Mode[] = ['Works', 'Loses answers', 'Slow', 'Offline', 'Shop breaks', 'Gateway 504'];

/** At most so many tabs at a time. */
const TABS = 3;

export interface Visit {
  readonly seed: number;
  readonly steps: number;
}

/**
 * Somebody who orders, breaks the network, reloads, opens tabs and has them killed, as the seed says; at the end mends the
 * network and waits until nothing is pending in any tab.
 *
 * @returns the ids of the carts that were ordered
 */
export async function visitAtRandom(
  context: BrowserContext,
  url: string,
  { seed, steps }: Visit,
): Promise<Set<string>> {
  const random = randomFrom(String(seed), 'visitor', 1);
  const among = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  const tabs = [await ShopPage.open(context, url)];
  const carts = new Set<string>();
  for (let step = 0; step < steps; step += 1) {
    const tab = among(tabs);
    switch (among(['order', 'order', 'order', 'network', 'network', 'reload', 'kill', 'open'])) {
      case 'order':
        carts.add(await order(tab));
        break;
      case 'network':
        await tab.network(among(modes));
        break;
      case 'reload':
        await tab.page.reload();
        break;
      case 'kill':
        await tab.kill();
        await tab.page.close();
        tabs.splice(tabs.indexOf(tab), 1, await ShopPage.open(context, url));
        break;
      case 'open':
        if (tabs.length < TABS) tabs.push(await ShopPage.open(context, url));
    }
  }
  for (const tab of tabs) await tab.network('Works');
  for (const tab of tabs) await until(() => nothingPending(tab), { withinMs: 60_000, everyMs: 200 });
  return carts;
}

/** Taps twice, and waits until the order is kept: a tab that is killed before that has ordered nothing. */
async function order(tab: ShopPage): Promise<string> {
  await tab.fillCart();
  const cart = await tab.cartId();
  await tab.placeButton.evaluate((button: HTMLElement) => {
    button.click();
    button.click();
  });
  const isKept = async () => (await tab.keys()).includes(cart) || (await tab.cartId()) !== cart;
  await until(isKept, { withinMs: 30_000 }).catch(async (cause) => {
    throw new Error(`cart ${cart} was tapped and is not kept; the page says: ${await tab.text()}`, { cause });
  });
  return cart;
}

/** Asks for what nobody asks for any more, as its user would. */
async function nothingPending({ page }: ShopPage): Promise<boolean> {
  const ask = page.getByRole('button', { name: 'Ask now' });
  // It may be gone by the time of the click.
  if ((await ask.count()) > 0)
    await ask
      .first()
      .click({ timeout: 500 })
      .catch(() => {});
  return (await page.locator('.count').textContent()) === '0';
}
