import { expect } from 'vitest';
import { until } from '../resources/index.js';
import { describeInBrowser, oneGreenTea, test } from './in-the-shop.js';
import { visitAtRandom } from './random-visitor.js';
import { ShopPage } from './shop-page.js';

describeInBrowser('the page in a browser', () => {
  test('case 49: a double click, and four clicks in one tick, place one order', async ({ page, shop }) => {
    await page.fillCart();
    const first = await page.cartId();
    await page.placeButton.dblclick();
    await page.says('Order placed: €7.49, charged once.');
    expect(await shop.charges(first)).toEqual(oneGreenTea);

    await page.network('Slow');
    await page.fillCart();
    const second = await page.cartId();
    await page.placeButton.evaluate((button: HTMLElement) => {
      for (let click = 0; click < 4; click += 1) button.click();
    });
    await shop.charged(second);
    await until(async () => (await page.cartId()) !== second, { withinMs: 30_000 });
    expect(await shop.charges(second)).toEqual(oneGreenTea);
    expect(await page.keys()).toEqual([second, first]);
    expect(page.errors).toEqual([]);
  });

  test('an answer is lost, and the page reloaded: the same key is asked for again, and charged once', async ({
    page,
    shop,
  }) => {
    await page.network('Loses answers');
    await page.fillCart();
    const cart = await page.cartId();
    await page.placeButton.click();
    await page.says('no answer');
    await page.page.reload();
    await page.says(/No outcome yet|Not known yet|on its way/);
    expect(await page.keys()).toEqual([cart]);
    expect(await page.text()).not.toMatch(/Not placed|failed/i);
    await page.network('Works');
    await page.says('Order placed: €7.49, charged once.');
    await page.says('answered: it had gone through before');
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
    expect(page.errors).toEqual([]);
  });

  test('a tab is killed while the answer is on its way: the next one finds the order placed, and places no other', async ({
    context,
    page: killed,
    shop,
  }) => {
    await killed.network('Slow');
    await killed.fillCart();
    const cart = await killed.cartId();
    await killed.placeButton.click();
    await shop.charged(cart);
    await killed.kill();
    const page = await ShopPage.open(context, shop.url);
    await page.says('Order placed: €7.49, charged once.');
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
    expect(await page.keys()).toEqual([cart]);
    expect(await page.cartId()).not.toBe(cart);
  });

  test('a tab is killed before anything got through: the next one places the order', async ({
    context,
    page: killed,
    shop,
  }) => {
    await killed.fillCart();
    await killed.network('Offline');
    const cart = await killed.cartId();
    await killed.placeButton.click();
    await killed.says('no answer');
    expect(await shop.charges(cart)).toEqual([]);
    await killed.kill();
    const page = await ShopPage.open(context, shop.url);
    await page.says('Order placed: €7.49, charged once.');
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
  });

  test('case 45: two tabs order the same cart at once: one request, one order, and both show it', async ({
    context,
    page,
    shop,
  }) => {
    const [one, other] = [page, await ShopPage.open(context, shop.url)];
    await one.fillCart();
    const cart = await one.cartId();
    // An order of one tab empties the cart of both: until both have ordered, none gets through to the shop.
    let letThrough = () => {};
    const bothOrdered = new Promise<void>((resolve) => {
      letThrough = resolve;
    });
    let requests = 0;
    await context.route('**/trpc/orders.checkOut*', async (route) => {
      requests += 1;
      await bothOrdered;
      await route.continue();
    });
    await Promise.all([one, other].map(({ placeButton }) => placeButton.click()));
    for (const tab of [one, other]) await tab.says('Ordering…');
    letThrough();
    for (const tab of [one, other]) {
      await tab.says('Nothing in it yet.');
      // Also the one that sent nothing.
      await tab.says('Order placed: €7.49, charged once.');
      await tab.page.locator('[data-order]').first().waitFor();
      await until(async () => (await tab.page.locator('.count').textContent()) === '0', { withinMs: 30_000 });
      // None is pending, so this one was delivered.
      expect(await tab.keys()).toEqual([cart]);
      expect(tab.errors).toEqual([]);
    }
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
    expect(requests).toBe(1);
  });

  test('offline, an order is kept and nothing is claimed of it; online again it is placed by itself', async ({
    context,
    page,
    shop,
  }) => {
    await page.fillCart();
    const cart = await page.cartId();
    await context.setOffline(true);
    await page.placeButton.click();
    await page.says('no answer');
    expect(await page.text()).not.toMatch(/Not placed|failed/i);
    expect(await shop.charges(cart)).toEqual([]);
    await context.setOffline(false);
    await page.says('Order placed: €7.49, charged once.');
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
  });

  test('case 46: who signs out leaves an order that nobody else sees or sends, and finds it placed when back', async ({
    page,
    shop,
  }) => {
    await page.network('Loses answers');
    await page.fillCart();
    const cart = await page.cartId();
    await page.placeButton.click();
    await page.says('no answer');
    await page.page.getByRole('button', { name: 'Sign out' }).click();
    await page.says('Kept for Ada: one order may have gone through.');
    expect(await page.keys()).toEqual([]);
    await page.network('Works');
    await page.page.getByRole('button', { name: 'Sign in as Ben' }).click();
    await page.fillCart('Black tea, 100 g');
    const bens = await page.cartId('ben');
    await page.placeButton.click();
    await page.says('Order placed: €5.90, charged once.');
    expect(await page.keys()).toEqual([bens]);
    expect(await shop.charges(bens)).toEqual([{ account: 'ben', cents: 590 }]);
    await page.page.getByRole('button', { name: 'Sign out' }).click();
    await page.page.getByRole('button', { name: 'Sign in as Ada' }).click();
    await page.says('Order placed: €7.49, charged once.');
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
    expect(await page.keys()).toEqual([cart]);
    expect(page.errors).toEqual([]);
  });

  test('the shop breaks in the middle of an order: nothing is charged, and the same order goes through later', async ({
    page,
    shop,
  }) => {
    await page.network('Shop breaks');
    await page.fillCart();
    const cart = await page.cartId();
    await page.placeButton.click();
    await page.says('the shop broke (500), nothing happened');
    expect(await shop.charges(cart)).toEqual([]);
    await page.network('Works');
    await page.says('Order placed: €7.49, charged once.');
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
    expect(await page.keys()).toEqual([cart]);
  });

  test("case 7: a gateway's page in place of the answer is no outcome; the order is charged once", async ({
    page,
    shop,
  }) => {
    await page.network('Gateway 504');
    await page.fillCart();
    const cart = await page.cartId();
    await page.placeButton.click();
    await page.says("a gateway's page (504)");
    expect(await page.text()).not.toMatch(/Not placed|failed/i);
    // The shop's own record can be read meanwhile, and says what it says.
    await page.page.locator('[data-order]').first().waitFor();
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
    await page.network('Works');
    await page.says('answered: it had gone through before');
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
  });

  test('what the shop cannot sell is turned down, said so, and charged for nothing', async ({
    page,
    shop,
  }) => {
    for (let cup = 0; cup < 4; cup += 1) await page.fillCart('Cup from a closed pottery');
    const cart = await page.cartId();
    await page.placeButton.click();
    await page.says('Not placed: only 3 left of Cup from a closed pottery. Nothing was charged.');
    expect(await shop.charges(cart)).toEqual([]);
    await page.page.getByRole('button', { name: 'One Cup from a closed pottery less' }).click();
    const smaller = await page.cartId();
    expect(smaller).not.toBe(cart);
    await page.placeButton.click();
    await page.says('Order placed: €360.00, charged once.');
    expect(await shop.charges(smaller)).toEqual([{ account: 'ada', cents: 36_000 }]);
  });

  test('whatever a visitor does, every cart that was ordered is one order', async ({ context, shop }) => {
    const carts = await visitAtRandom(context, shop.url, { seed: 1, steps: 14 });
    expect(carts.size).toBeGreaterThan(0);
    for (const cart of carts) expect(await shop.charges(cart), cart).toHaveLength(1);
  });

  test('after all of it the books add up, and no order is there twice', async ({ shop }) => {
    const { orders, charges, ...faults } = await shop.books();
    expect(orders).toBe(charges);
    expect(Object.values(faults)).toEqual([0, 0, 0, 0, 0]);
  });
});
