import { findChromium } from '@trpc-once/local-services';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

/** Why there is no browser here; `undefined` where there is one. */
export const noBrowser = findChromium()
  ? undefined
  : 'no Chromium on PATH: `npm test` installs one where it is root';

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium()!,
    timeout: 120_000,
    // Root, as CI is, has no sandbox; only pages of this repository are opened. /dev/shm is small in containers.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

/** Somebody's browser, with storage of its own. Whatever the page complains of is noted. */
export async function visitor(browser: Browser): Promise<BrowserContext & AsyncDisposable> {
  const context = await browser.newContext({ viewport: { width: 1_100, height: 900 } });
  context.setDefaultTimeout(30_000);
  return Object.assign(context, { [Symbol.asyncDispose]: () => context.close() });
}
