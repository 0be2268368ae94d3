import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureChromium } from '@trpc-once/local-services';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Origin, openPage, serveClient, storageOf } from './open-page.js';
import { exposedStorageConformance, sharedStorageConformance } from './outbox-storage.js';

// Root may not have Chromium's sandbox; containers have little shared memory.
const args = ['--no-sandbox', '--disable-dev-shm-usage'];
let executablePath: string;
let browser: Browser;
let origin: Origin;

beforeAll(async () => {
  executablePath = ensureChromium();
  [browser, origin] = await Promise.all([chromium.launch({ executablePath, args }), serveClient()]);
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await origin?.[Symbol.asyncDispose]();
});

/** A browser's profile of its own, and its first tab. */
async function profile(): Promise<
  { readonly context: BrowserContext; readonly page: Page } & AsyncDisposable
> {
  const context = await browser.newContext();
  return { context, page: await openPage(context, origin), [Symbol.asyncDispose]: () => context.close() };
}

/** Two tabs for all of the suite, each time with a database of its own: a profile or a tab for each takes a second. */
async function tabs(): Promise<readonly [Page, Page]> {
  const context = await browser.newContext();
  return [await openPage(context, origin), await openPage(context, origin)];
}
let pair: ReturnType<typeof tabs> | undefined;
const bothTabs = () => {
  pair ??= tabs();
  return pair;
};

sharedStorageConformance('IndexedDB in Chromium', async () => {
  const [page, other] = await bothTabs();
  const options = { database: randomUUID() };
  return {
    async open() {
      await page.reload();
      return storageOf(page, 'indexedDbStorage', options);
    },
    another: async () => storageOf(other, 'indexedDbStorage', options),
    /** What lies there is replaced by what no outbox wrote. */
    damage: (id) =>
      page.evaluate(
        ([database, id]) =>
          new Promise<void>((resolve, reject) => {
            const request = indexedDB.open(database);
            request.onsuccess = () => {
              const db = request.result;
              const transaction = db.transaction('operations', 'readwrite');
              transaction.objectStore('operations').put({ not: 'a text' }, id);
              transaction.oncomplete = () => resolve(db.close());
              transaction.onabort = reject;
            };
          }),
        [options.database, id] as const,
      ),
    async [Symbol.asyncDispose]() {},
  };
});

// Not the shared suite: no browser makes a swap one step between the processes of two tabs.
exposedStorageConformance('localStorage in Chromium', async () => {
  const [page] = await bothTabs();
  const options = { prefix: randomUUID() };
  return {
    async open() {
      await page.reload();
      return storageOf(page, 'localStorageStorage', options);
    },
    damage: (id) =>
      page.evaluate(([prefix, id]) => localStorage.setItem(prefix + id, '{"version":1,'), [
        options.prefix,
        id,
      ] as const),
    async [Symbol.asyncDispose]() {
      await page.evaluate(() => localStorage.clear());
    },
  };
});

test('what was set in IndexedDB is there after the browser was killed', async () => {
  const userData = await mkdtemp(join(tmpdir(), 'outbox-chromium-'));
  const launch = () => chromium.launchPersistentContext(userData, { executablePath, args });
  try {
    const first = await launch();
    const page = await openPage(first, origin);
    const storage = storageOf(page, 'indexedDbStorage');
    await storage.set('id', 'former');
    expect(await storage.swap('id', 'former', 'later')).toBe(true);
    const session = await first.newCDPSession(page);
    const closed = first.waitForEvent('close');
    // The browser's process ends at once, without a chance to write anything more.
    await session.send('Browser.crash').catch(() => {});
    await closed;
    const second = await launch();
    const found = await storageOf(await openPage(second, origin), 'indexedDbStorage').entries();
    await second.close();
    expect(found).toEqual([{ id: 'id', text: 'later' }]);
  } finally {
    await rm(userData, { recursive: true, force: true, maxRetries: 5 });
  }
});

test("case 52: Chromium's full localStorage is told apart, and the former text is still there", async () => {
  await using tab = await profile();
  const storage = storageOf(tab.page, 'localStorageStorage');
  await storage.set('id', 'former');
  const tooMuch = 'x'.repeat(6_000_000);
  for (const write of [() => storage.set('id', tooMuch), () => storage.swap('id', 'former', tooMuch)])
    await expect(write()).rejects.toMatchObject({ name: 'OutboxStorageError', reason: 'quota' });
  expect(await storage.entries()).toEqual([{ id: 'id', text: 'former' }]);
});

test('a connection that the browser closed by itself is opened again', async () => {
  await using tab = await profile();
  const storage = storageOf(tab.page, 'indexedDbStorage');
  await storage.set('id', 'text');
  const session = await tab.context.newCDPSession(tab.page);
  // The user clears the site's data: every open connection is closed under the page.
  await session.send('Storage.clearDataForOrigin', {
    origin: new URL(origin.url).origin,
    storageTypes: 'indexeddb',
  });
  await storage.set('id', 'later');
  expect(await storage.entries()).toEqual([{ id: 'id', text: 'later' }]);
});

test('it does not block the upgrade by another tab, and says that it cannot read what that has made', async () => {
  await using tab = await profile();
  const storage = storageOf(tab.page, 'indexedDbStorage');
  await storage.set('id', 'text');
  const newer = await openPage(tab.context, origin);
  const upgraded = await newer.evaluate(
    () =>
      new Promise((resolve) => {
        const request = indexedDB.open('trpc-once', 2);
        request.onsuccess = () => resolve('upgraded');
        request.onblocked = () => resolve('blocked');
      }),
  );
  expect(upgraded).toBe('upgraded');
  await expect(storage.set('id', 'later')).rejects.toMatchObject({ reason: 'unavailable' });
});

test('where the browser allows no storage at all, every use says that it is unavailable', async () => {
  await using tab = await profile();
  // A frame without an origin, as one of another site in a strict browser.
  await tab.page.setContent(`<iframe sandbox="allow-scripts" src="${origin.url}"></iframe>`);
  const frame = await (await tab.page.waitForSelector('iframe')).contentFrame();
  await frame!.waitForFunction(() => 'client' in window);
  for (const kind of ['indexedDbStorage', 'localStorageStorage'] as const)
    await expect(storageOf(frame as unknown as Page, kind).entries()).rejects.toMatchObject({
      name: 'OutboxStorageError',
      reason: 'unavailable',
    });
});
