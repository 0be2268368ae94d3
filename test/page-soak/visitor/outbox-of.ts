import type { Tab } from './tab.js';

/** An operation in a profile's outbox. */
export interface Kept {
  readonly owner: string | null;
  readonly key: string;
}

/** All operations in a profile's outbox, whoever's they are, read past the library. */
export async function keptOnDisk(tab: Tab): Promise<Kept[]> {
  const ids = await tab.page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open('trpc-once');
        opening.onerror = () => reject(opening.error);
        // Not there yet: then this must not be what makes it.
        opening.onupgradeneeded = () => opening.transaction?.abort();
        opening.onsuccess = () => {
          const keys = opening.result.transaction('operations').objectStore('operations').getAllKeys();
          keys.onsuccess = () => {
            opening.result.close();
            resolve(keys.result.map(String));
          };
        };
      }),
  );
  return ids.map((id) => {
    const [owner, key] = JSON.parse(id);
    return { owner, key };
  });
}
