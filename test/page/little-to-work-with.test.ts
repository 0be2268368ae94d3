import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { describeInBrowser, test } from './in-the-shop.js';
import { ShopPage } from './shop-page.js';

describeInBrowser('a page with little to work with', () => {
  test('where site data are blocked the page is there, and says that nothing was sent', async ({
    shop,
    browser,
  }) => {
    await using context = await browser.newContext();
    await context.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB'])
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('denied', 'SecurityError');
          },
        });
    });
    const page = await ShopPage.open(context, shop.url);
    await page.fillCart();
    await page.placeButton.click();
    await page.says('Not placed');
    await page.says('Nothing was sent');
    expect(page.errors).toEqual([]);
  });

  test('where it is served without https under a name of its own, it orders as ever', async ({
    context,
    shop,
  }) => {
    const { port } = new URL(shop.url);
    const page = await ShopPage.open(context, `http://shop.test:${port}`);
    expect(await page.page.evaluate(() => isSecureContext)).toBe(false);
    await page.fillCart();
    const cart = await page.cartId();
    await page.placeButton.dblclick();
    await page.says('Order placed: €7.49, charged once.');
    expect(await shop.charges(cart)).toHaveLength(1);
    expect(page.errors).toEqual([]);
  });

  test('where localStorage is full by the time the outcome comes, the cart is empty all the same, and no tap goes unheard', async ({
    page,
    shop,
  }) => {
    await page.network('Slow');
    await page.fillCart();
    const cart = await page.cartId();
    await page.placeButton.click();
    await page.says('on its way');
    await fillLocalStorage(page.page);
    await page.says('Order placed: €7.49, charged once.');
    await page.network('Works');
    await page.fillCart();
    await page.placeButton.click();
    await page.page.getByText('Nothing in it yet.').waitFor();
    expect(await shop.charges(cart)).toHaveLength(1);
    expect((await page.keys()).length).toBe(2);
    expect(page.errors).toEqual([]);
  });

  test('from the keyboard alone, what is pressed and goes away leaves the focus where it was', async ({
    page,
  }) => {
    const focus = () =>
      page.page.evaluate(
        () =>
          document.activeElement?.closest('section')?.getAttribute('aria-labelledby') ??
          document.activeElement?.closest('section')?.ariaLabel,
      );
    await page.network('Loses answers');
    await page.fillCart();
    await page.placeButton.press('Enter');
    await page.says('Not known yet.');
    await page.page.getByRole('button', { name: 'Ask now' }).press('Enter');
    await page.page.locator('.attempts li').nth(6).waitFor();
    expect(await focus()).toBe('outbox');
    await page.network('Works');
    await page.says('Order placed: €7.49, charged once.');
    await page.page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await page.page.getByRole('button', { name: 'Sign in as Ada' }).waitFor();
    expect(await focus()).toBe('Account');
    await page.page.getByRole('button', { name: 'Sign in as Ada' }).press('Enter');
    await page.page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await focus()).toBe('Account');
  });
});

function fillLocalStorage(page: Page): Promise<void> {
  return page.evaluate(() => {
    let count = 0;
    for (let size = 2 ** 20; size >= 1; size /= 2)
      for (let fits = true; fits; ) {
        try {
          localStorage.setItem(`filling ${count++}`, 'x'.repeat(size));
        } catch {
          fits = false;
        }
      }
  });
}
