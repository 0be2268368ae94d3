import { fileURLToPath } from 'node:url';
import type { BrowserContext, CDPSession, Locator, Page } from 'playwright-core';
import { ShopPage } from '../../page/shop-page.js';
import type { Sabotage } from '../sabotage.js';
import type { Story } from '../story/story.js';

/** A tap on something that moved away, or is covered, is a tap on nothing: nobody waits longer for it. */
const TAP_MS = 2_000;

/** A tab that is still there after this long is closed once more. */
const CLOSE_AGAIN_MS = 5_000;

const watch = fileURLToPath(new URL('./watch-page.js', import.meta.url));

const sabotagePage = fileURLToPath(new URL('./sabotage-page.js', import.meta.url));

export interface TabOptions {
  readonly story: Story;
  readonly visitor: string;
  readonly sabotage: Sabotage | undefined;
}

interface Opened {
  readonly number: number;
  readonly url: string;
  readonly shop: ShopPage;
  readonly cdp: CDPSession;
}

let opened = 0;

/** One tab of a visitor. */
export class Tab {
  readonly number: number;
  readonly shop: ShopPage;
  readonly #url: string;
  readonly #cdp: CDPSession;
  frozen = false;
  /** Its renderer is gone; it can only be closed. */
  dead = false;

  private constructor({ number, url, shop, cdp }: Opened) {
    this.number = number;
    this.shop = shop;
    this.#url = url;
    this.#cdp = cdp;
  }

  static async open(
    context: BrowserContext,
    url: string,
    { story, visitor, sabotage }: TabOptions,
  ): Promise<Tab> {
    const page = await context.newPage();
    opened += 1;
    const number = opened;
    await page.exposeFunction('watched', (text: string) => {
      const at = Date.now();
      const { sight, tap } = JSON.parse(text);
      if (sight) story.sights.push({ at, visitor, tab: number, ...sight });
      if (tap) story.taps.push({ at, visitor, ...tap });
    });
    await page.addInitScript({ path: watch });
    if (sabotage) {
      await page.addInitScript(`window.sabotage = ${JSON.stringify(sabotage)}`);
      await page.addInitScript({ path: sabotagePage });
    }
    const tab = new Tab({ number, url, shop: new ShopPage(page), cdp: await context.newCDPSession(page) });
    page.on('crash', () => {
      tab.dead = true;
    });
    page.on('pageerror', ({ message, stack }) => story.complaints.push({ visitor, what: stack ?? message }));
    await tab.#visit();
    return tab;
  }

  /** The shop may be down, or the visitor offline: then the browser shows a page of its own. */
  async #visit(): Promise<void> {
    await this.page.goto(this.#url, { timeout: 10_000 }).catch(() => {});
  }

  get page(): Page {
    return this.shop.page;
  }

  /** As when somebody turns to it; a page behind another one neither paints nor takes taps. */
  async front(): Promise<void> {
    await this.page.bringToFront();
    // The browser's own page, for want of the shop.
    if (!(await this.has(this.page.locator('#root')))) await this.#visit();
  }

  async reload(): Promise<void> {
    await this.page.reload({ timeout: 10_000 }).catch(() => {});
  }

  /** With luck out of the back/forward cache: then the page has slept, and no `load` tells that it is back. */
  async awayAndBack(): Promise<void> {
    await this.page.goto('about:blank', { timeout: 10_000 }).catch(() => {});
    await this.page.goBack({ timeout: 10_000, waitUntil: 'commit' }).catch(() => {});
  }

  async freeze(): Promise<void> {
    await this.#cdp.send('Page.setWebLifecycleState', { state: 'frozen' });
    this.frozen = true;
  }

  async thaw(): Promise<void> {
    this.frozen = false;
    await this.#cdp.send('Page.setWebLifecycleState', { state: 'active' });
  }

  async crash(): Promise<void> {
    // Nobody is left to answer.
    this.#cdp.send('Page.crash').catch(() => {});
    if (!this.dead) await this.page.waitForEvent('crash', { timeout: 10_000 }).catch(() => {});
    this.dead = true;
  }

  /**
   * Chromium drops a close now and then, when another tab has crashed just before: the page is well, and answers. Somebody
   * whose tab does not close closes it again.
   */
  async close(): Promise<void> {
    const again = setTimeout(() => this.#cdp.send('Page.close').catch(() => {}), CLOSE_AGAIN_MS);
    await this.page.close().finally(() => clearTimeout(again));
  }

  /** @returns whether there was something to tap */
  async tap(what: Locator, clickCount = 1): Promise<boolean> {
    if (!(await this.has(what))) return false;
    return what
      .first()
      .click({ timeout: TAP_MS, clickCount })
      .then(
        () => true,
        () => false,
      );
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  async has(what: Locator): Promise<boolean> {
    return (await what.count()) > 0;
  }
}
