import type { Page } from 'playwright-core';

/** What happens to all records of the page's outbox while it is closed. */
export interface Mishap {
  /** So much older they become. */
  readonly olderMs?: number;
  /** Only so many characters are left of them. */
  readonly cutTo?: number;
}

/** Rewrites the records that the shop's page has in IndexedDB, from another page of the same origin. */
export async function tamper(page: Page, mishap: Mishap): Promise<void> {
  await page.evaluate(async ({ olderMs = 0, cutTo }) => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const db = await done(indexedDB.open('trpc-once', 1));
    const store = db.transaction('operations', 'readwrite').objectStore('operations');
    for (const id of await done(store.getAllKeys())) {
      const record = JSON.parse(await done(store.get(id)));
      record.createdAt -= olderMs;
      record.firstSentAt -= olderMs;
      await done(store.put(JSON.stringify(record).slice(0, cutTo), id));
    }
    db.close();
  }, mishap);
}
