import { expect } from 'vitest';
import { until } from '../resources/index.js';
import { BrowserProfile } from './browser-profile.js';
import { describeInBrowser, oneGreenTea, test } from './in-the-shop.js';
import { ShopPage } from './shop-page.js';

describeInBrowser('a browser on its own', () => {
  /** The keys of the checkouts that leave the browser from now on. */
  function sentFrom({ context }: BrowserProfile): string[] {
    const keys: string[] = [];
    context.on('request', (request) => {
      if (request.url().includes('orders.checkOut')) keys.push(request.headers()['idempotency-key'] ?? '');
    });
    return keys;
  }

  test('case 45: a tab that is frozen while its order is under way strands nothing: another one goes on, and thawed it sends nothing again', async ({
    shop,
  }) => {
    await using profile = await BrowserProfile.open();
    const sent = sentFrom(profile);
    const frozen = await ShopPage.open(profile.context, shop.url);
    await frozen.network('Slow');
    await frozen.fillCart();
    const cart = await frozen.cartId();
    // Everything is there beforehand: frozen in the middle of a write, as no browser does by itself, it would keep the database from
    // everybody, and that moment comes with the answer, four seconds later.
    const other = await ShopPage.open(profile.context, shop.url);
    const lifecycle = await profile.context.newCDPSession(frozen.page);
    await frozen.page.bringToFront();
    await frozen.placeButton.click();
    await shop.charged(cart);
    await lifecycle.send('Page.setWebLifecycleState', { state: 'frozen' });
    await other.says('Order placed: €7.49, charged once.');
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
    const before = sent.length;
    await lifecycle.send('Page.setWebLifecycleState', { state: 'active' });
    await frozen.page.bringToFront();
    await frozen.says('Order placed: €7.49, charged once.');
    await until(async () => (await frozen.page.locator('.count').textContent()) === '0', {
      withinMs: 30_000,
    });
    expect(sent).toHaveLength(before);
    expect(new Set(sent)).toEqual(new Set([`"${cart}"`]));
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
    expect([...frozen.errors, ...other.errors]).toEqual([]);
  });

  test('a page that comes out of the back/forward cache goes on with the order that it left under way, under the same key', async ({
    shop,
  }) => {
    await using profile = await BrowserProfile.open();
    const sent = sentFrom(profile);
    const page = await ShopPage.open(profile.context, shop.url);
    await page.page.evaluate(() => {
      addEventListener('pageshow', ({ persisted }) =>
        document.body.setAttribute('data-persisted', String(persisted)),
      );
    });
    await page.network('Loses answers');
    await page.fillCart();
    const cart = await page.cartId();
    await page.placeButton.click();
    await shop.charged(cart);
    await page.page.goto('about:blank');
    // What comes out of the cache is not loaded again, and says so by `pageshow` alone.
    await page.page.goBack({ waitUntil: 'commit' });
    await page.page.locator('[data-persisted=true]').waitFor({ state: 'attached' });
    await page.network('Works');
    await page.says('Order placed: €7.49, charged once.');
    expect(await shop.charges(cart)).toEqual(oneGreenTea);
    expect(new Set(sent)).toEqual(new Set([`"${cart}"`]));
    expect(page.errors).toEqual([]);
  });

  test.for([
    ['while the answer is on its way', 'Slow', 1],
    ['before anything got through', 'Offline', 0],
  ] as const)(
    'the whole browser is killed %s: started again on its profile, it finds the order and places it once',
    async ([_, network, charges], { shop }) => {
      await using profile = await BrowserProfile.open();
      const page = await ShopPage.open(profile.context, shop.url);
      await page.fillCart();
      await page.network(network);
      const cart = await page.cartId();
      await page.placeButton.click();
      if (network === 'Slow') await shop.charged(cart);
      else await page.says('no answer');
      expect(await shop.charges(cart)).toHaveLength(charges);
      await profile.kill();
      await profile.start();
      const sent = sentFrom(profile);
      const again = await ShopPage.open(profile.context, shop.url);
      await again.says('Order placed: €7.49, charged once.');
      expect(await shop.charges(cart)).toEqual(oneGreenTea);
      expect(new Set(sent)).toEqual(new Set([`"${cart}"`]));
      expect(await again.keys()).toEqual([cart]);
    },
  );

  test('case 52: over the browser’s quota an order is told to be not sent, and those that are kept are unharmed', async ({
    shop,
  }) => {
    await using profile = await BrowserProfile.open();
    const before = await ShopPage.open(profile.context, shop.url);
    await before.fillCart();
    await before.network('Offline');
    const kept = await before.cartId();
    await before.placeButton.click();
    await before.says('no answer');
    // A Chromium that has written lately goes by the room that it found then.
    await profile.kill();
    await profile.start();
    const quota = await profile.context.newCDPSession(profile.context.pages()[0]!);
    const { origin } = new URL(shop.url);
    await quota.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 });
    const sent = sentFrom(profile);
    await profile.context.addInitScript(() => sessionStorage.setItem('shop.network', '"offline"'));
    const page = await ShopPage.open(profile.context, shop.url);
    await page.page.getByRole('button', { name: 'Sign out' }).click();
    await page.page.getByRole('button', { name: 'Sign in as Ben' }).click();
    await page.network('Works');
    await page.fillCart();
    const cart = await page.cartId('ben');
    sent.length = 0;
    await page.placeButton.click();
    await page.says(/^Not placed: Nothing was sent of orders\.checkOut/);
    expect(await page.text()).toContain('it is full');
    expect([sent, await shop.charges(cart)]).toEqual([[], []]);
    await quota.send('Storage.overrideQuotaForOrigin', { origin });
    await page.placeButton.click();
    await page.says('Order placed: €7.49, charged once.');
    expect(await shop.charges(cart)).toEqual([{ account: 'ben', cents: 749 }]);
    await page.page.getByRole('button', { name: 'Sign out' }).click();
    await page.page.getByRole('button', { name: 'Sign in as Ada' }).click();
    await until(async () => (await shop.charges(kept)).length > 0, { withinMs: 30_000 });
    await page.says('Order placed: €7.49, charged once.');
    expect(await shop.charges(kept)).toEqual(oneGreenTea);
    expect(page.errors).toEqual([]);
  });
});
