import { sqliteStorage } from '@trpc-once/client/sqlite';
import { expect, test } from 'vitest';
import { sharedStorageConformance } from './outbox-storage.js';
import { openSqlite, sqliteDatabase } from './sqlite-database.js';

sharedStorageConformance('SQLite', async () => {
  let database = openSqlite();
  return {
    async open() {
      // As the next process finds the file.
      const content = database.export();
      database.close();
      database = openSqlite(content);
      return sqliteStorage(sqliteDatabase(database));
    },
    another: async () => sqliteStorage(sqliteDatabase(database)),
    async damage(id) {
      database.run(`UPDATE trpc_once_operations SET text = x'00ff' WHERE id = ?`, [id]);
    },
    async [Symbol.asyncDispose]() {
      database.close();
    },
  };
});

test('one that cannot be opened is told of by whatever needs it, and by nothing else before', async () => {
  const unheard: unknown[] = [];
  const hear = (error: unknown) => unheard.push(error);
  process.on('unhandledRejection', hear);
  try {
    const never = sqliteStorage(Promise.reject(new Error('no such directory')));
    await new Promise((resolve) => setImmediate(resolve));
    expect(unheard).toEqual([]);
    await expect(never.entries()).rejects.toMatchObject({ reason: 'unavailable' });
  } finally {
    process.off('unhandledRejection', hear);
  }
});

test('a database that is no database, or cannot be opened, is unavailable, and is tried again', async () => {
  const broken = sqliteStorage(sqliteDatabase(openSqlite(new Uint8Array(4096).fill(7))));
  await expect(broken.entries()).rejects.toMatchObject({ name: 'OutboxStorageError', reason: 'unavailable' });
  const never = sqliteStorage(Promise.reject(new Error('no such directory')));
  await expect(never.set('id', 'text')).rejects.toMatchObject({ reason: 'unavailable' });
  const database = openSqlite();
  const real = sqliteDatabase(database);
  let calls = 0;
  const storage = sqliteStorage({
    ...real,
    runAsync: (...call) => {
      calls += 1;
      return calls === 1 ? Promise.reject(new Error('database is locked')) : real.runAsync(...call);
    },
  });
  await expect(storage.set('id', 'text')).rejects.toMatchObject({ reason: 'unavailable' });
  await storage.set('id', 'text');
  expect(await storage.entries()).toEqual([{ id: 'id', text: 'text' }]);
});

test('a full database says so, and the former text is still there', async () => {
  const database = openSqlite();
  const storage = sqliteStorage(sqliteDatabase(database));
  await storage.set('id', 'former');
  database.run('PRAGMA max_page_count = 8');
  const error = await storage.set('id', 'x'.repeat(100_000)).catch((error: unknown) => error);
  expect(error).toMatchObject({ name: 'OutboxStorageError', reason: 'quota' });
  expect(await storage.entries()).toEqual([{ id: 'id', text: 'former' }]);
});

test('a table of a name of its own is an outbox of its own, and a name that is none is refused at once', async () => {
  const database = sqliteDatabase(openSqlite());
  await sqliteStorage(database, { table: 'admin_outbox' }).set('id', 'text');
  expect(await sqliteStorage(database).entries()).toEqual([]);
  for (const table of ['', '1st', 'a b', 'x; DROP TABLE orders', '"quoted"'])
    expect(() => sqliteStorage(database, { table })).toThrow(TypeError);
});
