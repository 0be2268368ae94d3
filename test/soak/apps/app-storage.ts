import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { localStorageStorage, type OutboxStorage } from '@trpc-once/client';
import { fileStorage } from '@trpc-once/client/file';
import { sqliteStorage } from '@trpc-once/client/sqlite';
import { openSqlite, sqliteDatabase } from '../../conformance/sqlite-database.js';
import { WebStorage } from '../../conformance/web-storage.js';
import type { AppOrder } from './app-order.js';

/** The outbox of an app's group, as its next process finds it. */
export function openStorage({ storage, directory, group }: AppOrder): OutboxStorage {
  const path = join(directory, `outbox-${group}`);
  switch (storage) {
    case 'shared files':
      return fileStorage(path, { shared: true });
    case 'files':
      return fileStorage(path);
    case 'web storage':
      return localStorageStorage({ storage: new KeptWebStorage(path) });
    case 'SQLite':
      return sqliteIn(path);
  }
}

/** Storage that acknowledges what it has only in memory. */
export function forgetful(storage: OutboxStorage): OutboxStorage {
  const texts = new Map<string, string>();
  const entries = () => [...texts].map(([id, text]) => ({ id, text }));
  return {
    ...storage,
    entries: async () => entries(),
    get: async (id) => entries().find((entry) => entry.id === id),
    set: async (id, text) => void texts.set(id, text),
    async swap(id, former, next) {
      if (texts.get(id) !== former) return false;
      if (next === undefined) texts.delete(id);
      else texts.set(id, next);
      return true;
    },
    delete: async (id) => void texts.delete(id),
  };
}

/** A browser's storage whose every change is on disk when it returns: what the browser's own process keeps of a tab. */
class KeptWebStorage extends WebStorage {
  readonly #path: string;

  constructor(path: string) {
    super();
    this.#path = path;
    if (existsSync(path))
      for (const [key, text] of JSON.parse(readFileSync(path, 'utf8'))) super.setItem(key, text);
  }

  override setItem(key: string, text: string): void {
    super.setItem(key, text);
    this.#save();
  }

  override removeItem(key: string): void {
    super.removeItem(key);
    this.#save();
  }

  #save(): void {
    const keys = Array.from({ length: this.length }, (_, n) => this.key(n) as string);
    replace(this.#path, JSON.stringify(keys.map((key) => [key, this.getItem(key)])));
  }
}

/** SQLite in memory, whose file is replaced whole at each change. */
function sqliteIn(path: string): OutboxStorage {
  const database = openSqlite(existsSync(path) ? readFileSync(path) : undefined);
  const real = sqliteDatabase(database);
  return sqliteStorage({
    ...real,
    async runAsync(source, parameters) {
      const result = await real.runAsync(source, parameters);
      if (result.changes > 0) replace(path, database.export());
      return result;
    },
  });
}

function replace(path: string, content: string | Uint8Array): void {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}
