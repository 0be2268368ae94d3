import { expect } from 'vitest';
import { describeInBrowser, oneGreenTea, test } from './in-the-shop.js';
import type { ShopPage } from './shop-page.js';
import { tamper } from './stored-records.js';

describeInBrowser('a record that cannot be read', () => {
  /** Orders a tea whose answers are lost, and whose record is cut short while the page is closed. @returns its cart */
  async function damagedOrder(page: ShopPage): Promise<string> {
    const { origin } = new URL(page.page.url());
    await page.network('Loses answers');
    await page.fillCart();
    const cart = await page.cartId();
    await page.placeButton.click();
    await page.says('no answer');
    await page.page.goto(`${origin}/closed`);
    await tamper(page.page, { cutTo: 40 });
    await page.page.goto(origin);
    await page.says('A record cannot be read.');
    await page.says('Look among your orders on record before you discard it');
    return cart;
  }

  const discards = (page: ShopPage) => page.page.getByRole('button', { name: 'Discard this record' });

  test('it can be discarded: then nothing of it is left, and its cart is not ordered again under its key', async ({
    page,
    shop,
  }) => {
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
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
    expect(page.errors).toEqual([]);
  });

  test('it hides no other: the next cart is ordered beside it, and stays when it is discarded', async ({
    page,
    shop,
  }) => {
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
    expect(await shop.charges(next)).toEqual(oneGreenTea);
  });
});
