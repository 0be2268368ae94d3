import { expect } from 'vitest';
import { until } from '../resources/index.js';
import { describeInBrowser, oneGreenTea, test } from './in-the-shop.js';
import { ShopPage } from './shop-page.js';
import { type Mishap, tamper } from './stored-records.js';

const DAY_MS = 86_400_000;

describeInBrowser('what the page says', () => {
  const makesAnOrder = (page: ShopPage) => page.page.getByRole('button', { name: /^Place order/ });

  /** Orders a tea whose answers are lost. */
  async function lostOrder(page: ShopPage): Promise<string> {
    await page.network('Loses answers');
    await page.fillCart();
    const cart = await page.cartId();
    await page.placeButton.click();
    await page.says('no answer');
    return cart;
  }

  test('an outcome that is not known is neither a failure nor a success, and no second order is offered for it', async ({
    page,
    shop,
  }) => {
    const cart = await lostOrder(page);
    await page.says('Not known yet.');
    await page.says('the order may have gone through, or not');
    expect(await page.text()).not.toMatch(/Not placed|failed|Order placed/i);
    expect(await makesAnOrder(page).count()).toBe(0);
    // Asked from the keyboard; the focus stays where it is.
    await page.page.getByRole('button', { name: 'Ask again' }).press('Enter');
    // More than the one attempt that the outbox makes by time.
    await page.page.locator('.attempts li').nth(6).waitFor();
    expect(await page.placeButton.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.network('Works');
    await page.says('Order placed: €7.49, charged once.');
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
    expect(await page.keys()).toEqual([cart]);
    expect(page.errors).toEqual([]);
  });

  test('an order that ran, and was turned away when the browser sent it again, is the same order at the next tap', async ({
    page,
    shop,
  }) => {
    // As with a connection that a browser had kept: the first of two is lost, the second meets somebody in front of the claim.
    const forbidden = { code: -32003, message: 'FORBIDDEN', data: { code: 'FORBIDDEN', httpStatus: 403 } };
    await page.page.route(
      '**/trpc/orders.checkOut',
      async (route) => {
        await route.fetch();
        await route.fulfill({ status: 403, json: { error: forbidden } });
      },
      { times: 1 },
    );
    await page.fillCart();
    const cart = await page.cartId();
    await page.placeButton.click();
    await page.says('The shop turned it away: FORBIDDEN');
    expect(await page.text()).not.toContain('Not placed');
    await page.placeButton.click();
    await page.says('Order placed: €7.49, charged once.');
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
    expect(await page.keys()).toEqual([cart]);
    expect(page.errors).toEqual([]);
  });

  test('nothing sticks out of a screen of 320 px, nor with text of twice the size', async ({ page }) => {
    await lostOrder(page);
    const width = () => page.page.evaluate(() => document.documentElement.scrollWidth);
    await page.page.setViewportSize({ width: 320, height: 640 });
    expect(await width()).toBe(320);
    await page.page.setViewportSize({ width: 390, height: 844 });
    await page.page.addStyleTag({ content: ':root { font-size: 200% }' });
    expect(await width()).toBe(390);
  });

  test.for<[why: string, mishap: Mishap, says: string]>([
    ['is too old to be asked for', { olderMs: DAY_MS + 60_000 }, 'Too old to ask again.'],
    ['cannot be read any more', { cutTo: 40 }, 'What was kept of this order cannot be read.'],
  ])('an order that %s is looked up, and not offered again', async ([_why, mishap, says], { page, shop }) => {
    const cart = await lostOrder(page);
    // Any other page of the shop, so that this one is closed meanwhile.
    await page.page.goto(`${shop.url}/closed`);
    await tamper(page.page, mishap);
    await page.page.goto(shop.url);
    await page.says(says);
    await page.says('The order went through: it is among your orders on record.');
    expect(await page.text()).not.toMatch(/Not placed|failed/i);
    expect(await makesAnOrder(page).count()).toBe(0);
    await page.page.getByRole('button', { name: 'Start a new cart' }).click();
    await page.says('Nothing in it yet.');
    expect(await page.cartId()).not.toBe(cart);
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
  });

  test('what is put into the cart while its order is on its way is not ordered with it, and stays', async ({
    page,
    shop,
  }) => {
    const cart = await lostOrder(page);
    await page.fillCart('Black tea, 100 g');
    await page.says('Ordered was 1 × Green tea, 100 g. What you changed since stays in the cart.');
    await page.network('Works');
    await page.page.getByRole('button', { name: 'Place order · €5.90' }).waitFor();
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
    const next = await page.cartId();
    await page.placeButton.click();
    await page.says('Order placed: €5.90, charged once.');
    expect(await shop.charges(next)).toEqual([{ account: 'ada', cents: 590 }]);
  });

  test('what is put into the cart in one tab while orders of another one end is ordered once, or still in it', async ({
    context,
    page,
    shop,
  }) => {
    const other = await ShopPage.open(context, shop.url);
    const carts = new Set<string>();
    context.on('request', (request) => {
      const key = request.headers()['idempotency-key'];
      if (key) carts.add(key.replaceAll('"', ''));
    });
    const one = other.page.getByRole('button', { name: 'One Black tea, 100 g more' });
    const filling = one.evaluate(async (button: HTMLElement) => {
      let taps = 0;
      for (; document.title !== 'enough'; taps += 1) {
        button.click();
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
      return taps;
    });
    await until(
      async () => {
        await page.placeButton.evaluate((button: HTMLElement) => button.click());
        return carts.size > 4;
      },
      { withinMs: 60_000, everyMs: 10 },
    );
    await other.page.evaluate(() => {
      document.title = 'enough';
    });
    const taps = await filling;
    await until(async () => (await page.page.locator('.count').textContent()) === '0', { withinMs: 60_000 });
    const charges = (await Promise.all([...carts].map((cart) => shop.charges(cart)))).flat();
    const ordered = charges.reduce((sum, { cents }) => sum + cents, 0) / 590;
    for (const tab of [page, other]) {
      const left = tab.page.getByLabel('Black tea, 100 g in the cart', { exact: true });
      await until(async () => ordered + Number(await left.textContent()) === taps, { withinMs: 30_000 });
    }
    expect(ordered).toBeGreaterThan(0);
  });

  test('an order that meets an ended session waits for the sign-in, and goes on under the same key', async ({
    page,
    shop,
  }) => {
    await page.network('Session ends');
    await page.fillCart();
    const cart = await page.cartId();
    await page.placeButton.click();
    await page.says('The order has not gone through so far.');
    expect(await makesAnOrder(page).count()).toBe(0);
    expect(await shop.charges(cart)).toEqual([]);
    await page.page.getByRole('button', { name: 'Sign in again' }).click();
    await page.says('Order placed: €7.49, charged once.');
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
    expect(await page.keys()).toEqual([cart]);
  });

  test('a page that is opened while the shop cannot be reached knows what is in its cart', async ({
    page,
  }) => {
    await page.fillCart();
    await page.network('Offline');
    await page.page.reload();
    await page.says('The shop cannot be reached; this is how it was.');
    await until(async () => (await makesAnOrder(page).textContent()) === 'Place order · €7.49', {
      withinMs: 30_000,
    });
  });
});
