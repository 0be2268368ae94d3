import { onOnePhone, type PhoneStorageOptions } from '../coordination/on-one-phone.js';
import type { OutboxStorage, StoredEntry } from '../store/storage.js';
import { refusal } from './refusal.js';

/** What is used of a database of `expo-sqlite`; a few lines make one of any other SQLite. */
export interface SqliteDatabaseLike {
  runAsync(source: string, parameters: string[]): Promise<{ readonly changes: number }>;
  getAllAsync<T>(source: string, parameters: string[]): Promise<T[]>;
}

export interface SqliteOptions extends PhoneStorageOptions {
  /** Letters, digits and underscores. One for each outbox. @default 'trpc_once_operations' */
  readonly table?: string;
}

/**
 * Keeps operations in a table of an SQLite database, made when it is first used. A write counts once SQLite has committed
 * it: with its default `synchronous = FULL` it survives the power, with `NORMAL` in WAL mode the app's end only. Each
 * change is one statement, so `swap` is one step among all connections and processes that have the file.
 *
 * Give the outbox a connection of its own: on one that the app runs transactions on, an operation could be rolled back
 * with them after it was sent.
 *
 * @throws TypeError when the table's name is none
 * @example
 * ```ts
 * import { openDatabaseAsync } from 'expo-sqlite';
 * import { sqliteStorage } from '@trpc-once/client/sqlite';
 *
 * const storage = sqliteStorage(openDatabaseAsync('outbox.db'));
 * ```
 */
export function sqliteStorage(
  database: SqliteDatabaseLike | Promise<SqliteDatabaseLike>,
  { table = 'trpc_once_operations', coordination }: SqliteOptions = {},
): OutboxStorage {
  const name = `SQLite ${table}`;
  if (!/^[a-z_]\w*$/i.test(table)) throw new TypeError(`${table} cannot be the name of an outbox's table`);
  let opening: Promise<SqliteDatabaseLike> | undefined;
  // One that cannot be opened is told of by whatever needs it; until then nobody may be listening, which would end a process.
  Promise.resolve(database).catch(() => {});

  const open = async () => {
    const db = await database;
    await db.runAsync(
      `CREATE TABLE IF NOT EXISTS ${table} (id TEXT PRIMARY KEY NOT NULL, text TEXT NOT NULL)`,
      [],
    );
    return db;
  };
  const use = async <T>(act: (db: SqliteDatabaseLike) => Promise<T>): Promise<T> => {
    let db: SqliteDatabaseLike | undefined;
    try {
      opening ??= open();
      db = await opening;
      return await act(db);
    } catch (cause) {
      if (!db) opening = undefined;
      throw refusal(name, cause, db ? 'failed' : 'unavailable');
    }
  };
  const run = (statement: string, parameters: string[]) =>
    use(async (db) => (await db.runAsync(statement, parameters)).changes > 0);
  const select = (where: string, parameters: string[]) =>
    use(async (db) => {
      const rows = await db.getAllAsync<Row>(`SELECT id, text FROM ${table} ${where}`, parameters);
      return rows.map(entryOf);
    });
  const one = async (id: string) => (await select('WHERE id = ?', [id]))[0];
  const insert = `INSERT INTO ${table} (id, text) VALUES (?, ?) ON CONFLICT (id) DO`;

  return {
    name,
    durable: true,
    coordination: onOnePhone(name, coordination),
    entries: () => select('', []),
    get: one,
    set: async (id, text) => void (await run(`${insert} UPDATE SET text = excluded.text`, [id, text])),
    async swap(id, former, next) {
      if (former !== undefined)
        return next === undefined
          ? run(`DELETE FROM ${table} WHERE id = ? AND text = ?`, [id, former])
          : run(`UPDATE ${table} SET text = ? WHERE id = ? AND text = ?`, [next, id, former]);
      return next === undefined ? (await one(id)) === undefined : run(`${insert} NOTHING`, [id, next]);
    },
    delete: async (id) => void (await run(`DELETE FROM ${table} WHERE id = ?`, [id])),
  };
}

interface Row {
  readonly id: string;
  readonly text: unknown;
}

function entryOf({ id, text }: Row): StoredEntry {
  return { id, text: typeof text === 'string' ? text : undefined };
}
