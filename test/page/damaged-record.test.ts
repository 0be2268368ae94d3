import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { noBrowser, openBrowser, visitor } from './browser.js';
import { type OpenShop, openShop } from './open-shop.js';
import type { ShopPage } from './shop-page.js';
import { tamper } from './stored-records.js';

// A browser, a build and two stores on a busy machine: seconds become many.
vi.setConfig({ testTimeout: 180_000 });

describe.skipIf(noBrowser)(
  `a record that cannot be read${noBrowser ? ` (skipped: ${noBrowser})` : ''}`,
  () => {
    let browser: Browser;
    let shop: OpenShop;

    beforeAll(async () => {
      [browser, shop] = await Promise.all([openBrowser(), openShop()]);
    }, 180_000);

    afterAll(async () => {
      await browser?.close();
      await shop?.[Symbol.asyncDispose]();
    });

    /** Orders a tea whose answers are lost, and whose record is cut short while the page is closed. @returns its cart */
    async function damagedOrder(page: ShopPage): Promise<string> {
      await page.network('Loses answers');
      await page.fillCart();
      const cart = await page.cartId();
      await page.placeButton.click();
      await page.says('no answer');
      await page.page.goto(`${shop.url}/closed`);
      await tamper(page.page, { cutTo: 40 });
      await page.page.goto(shop.url);
      await page.says('A record cannot be read.');
      await page.says('Look among your orders on record before you discard it');
      return cart;
    }

    const discards = (page: ShopPage) => page.page.getByRole('button', { name: 'Discard this record' });

    test('it can be discarded: then nothing of it is left, and its cart is not ordered again under its key', async () => {
      await using visit = await visitor(browser, shop);
      const { page } = visit;
      const cart = await damagedOrder(page);
      // From the keyboard, as well as by a tap; the focus does not go back to the top.
      await discards(page).press('Enter');
      await page.says('Empty. An order is kept here');
      await page.says('Nothing in it yet.');
      expect(await page.cartId()).not.toBe(cart);
      expect(await page.page.evaluate(() => document.activeElement?.tagName)).toBe('SECTION');
      await page.page.reload();
      await page.says('Empty. An order is kept here');
      expect(await discards(page).count()).toBe(0);
      expect(await shop.charges(cart)).toEqual([{ account: 'ada', cents: 749 }]);
      expect(page.errors).toEqual([]);
    });

    test('it hides no other: the next cart is ordered beside it, and stays when it is discarded', async () => {
      await using visit = await visitor(browser, shop);
      const { page } = visit;
      await damagedOrder(page);
      await page.page.getByRole('button', { name: 'Start a new cart' }).click();
      await page.network('Works');
      await page.fillCart();
      const next = await page.cartId();
      await page.placeButton.click();
      await page.says('Order placed: €7.49, charged once.');
      await page.fillCart('Black tea, 100 g');
      const filled = await page.cartId();
      await discards(page).click();
      await discards(page).waitFor({ state: 'detached' });
      expect([await page.keys(), await page.cartId()]).toEqual([[next], filled]);
      await page.page.getByRole('button', { name: 'Place order · €5.90' }).waitFor();
      expect(await shop.charges(next)).toEqual([{ account: 'ada', cents: 749 }]);
    });
  },
);
