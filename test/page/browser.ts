import { findChromium } from '@trpc-once/local-services';
import { type Browser, chromium } from 'playwright-core';

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
