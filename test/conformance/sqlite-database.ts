import type { SqliteDatabaseLike } from '@trpc-once/client/sqlite';
import initSqlJs, { type Database } from 'sql.js';

const sqlite = await initSqlJs();

/** A real SQLite, as a database of expo-sqlite: what the app would write around any other, too. */
export function sqliteDatabase(database: Database): SqliteDatabaseLike {
  return {
    async runAsync(source, parameters) {
      database.run(source, parameters);
      return { changes: database.getRowsModified() };
    },
    async getAllAsync<T>(source: string, parameters: string[]) {
      const statement = database.prepare(source, parameters);
      try {
        const rows: T[] = [];
        while (statement.step()) rows.push(statement.getAsObject() as T);
        return rows;
      } finally {
        statement.free();
      }
    },
  };
}

/** In memory. `content` is that of a database file. */
export function openSqlite(content?: Uint8Array): Database {
  return new sqlite.Database(content);
}
