import { test as base, describe, vi } from 'vitest';
import { noBrowser, openBrowser } from './browser.js';
import { openShop } from './open-shop.js';
import { ShopPage } from './shop-page.js';

// A browser, a build and two stores on a busy machine: seconds become many.
vi.setConfig({ testTimeout: 180_000 });

/** A test in the shop: what it names is opened for it, the browser and the shop once a file. */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what else has to be opened.
  .extend('browser', { scope: 'file' }, async ({}, { onCleanup }) => {
    const browser = await openBrowser();
    onCleanup(() => browser.close());
    return browser;
  })
  // biome-ignore lint/correctness/noEmptyPattern: as above
  .extend('shop', { scope: 'file' }, async ({}, { onCleanup }) => {
    const shop = await openShop();
    onCleanup(() => shop[Symbol.asyncDispose]());
    return shop;
  })
  /** Somebody in the browser, with storage of their own. */
  .extend('context', async ({ browser }, { onCleanup }) => {
    const context = await browser.newContext({ viewport: { width: 1_100, height: 900 } });
    context.setDefaultTimeout(30_000);
    onCleanup(() => context.close());
    return context;
  })
  /** The shop, open in front of them. */
  .extend('page', ({ context, shop }) => ShopPage.open(context, shop.url));

/** Groups tests that need a browser; skipped where there is none, and says why. */
export function describeInBrowser(name: string, tests: () => void): void {
  describe.skipIf(noBrowser)(noBrowser ? `${name} (skipped: ${noBrowser})` : name, tests);
}

/** What one packet costs Ada, who is signed in first. */
export const oneGreenTea = [{ account: 'ada', cents: 749 }];
