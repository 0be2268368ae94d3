import { findChromium } from '@trpc-once/local-services';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import type { OpenShop } from './open-shop.js';
import { ShopPage } from './shop-page.js';

/** Why there is no browser here; `undefined` where there is one. */
export const noBrowser = findChromium()
  ? undefined
  : 'no Chromium on PATH: `npm test` installs one where it is root';

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium()!,
    timeout: 120_000,
    // Root, as CI is, has no sandbox; only pages of this repository are opened. /dev/shm is small in containers.
    // A name that is not localhost's, as a phone in the same network has one for it: no secure context.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP shop.test 127.0.0.1'],
  });
}

/** Somebody in a browser, with storage of their own, and the shop open in front of them. */
export interface Visit extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: ShopPage;
}

export async function visitor(browser: Browser, { url }: Pick<OpenShop, 'url'>): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1_100, height: 900 } });
  context.setDefaultTimeout(30_000);
  const page = await ShopPage.open(context, url);
  return { context, page, [Symbol.asyncDispose]: () => context.close() };
}
