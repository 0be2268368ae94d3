import { Client } from 'pg';
import { expect, test } from 'vitest';
import { freshDatabase } from './fresh-database.js';

test('two fresh databases share nothing', async () => {
  await using one = await freshDatabase();
  await using other = await freshDatabase();
  await one.pool().query('create table only_here (n int)');
  const { rows } = await other.pool().query(`select to_regclass('only_here') as found`);
  expect(rows).toEqual([{ found: null }]);
});

test('a client that was taken from the pool and never released fails the disposal', async () => {
  const database = await freshDatabase();
  const client = await database.pool().connect();
  await expect(database[Symbol.asyncDispose]()).rejects.toThrow("a pool's client leaked: 1 taken");
  client.release();
});

test('a connection that somebody else left open fails the disposal and is named', async () => {
  const database = await freshDatabase();
  const forgotten = new Client({ connectionString: database.url, application_name: 'forgotten' });
  // The disposal drops the database under it.
  forgotten.on('error', () => {});
  await forgotten.connect();
  await forgotten.query('select 42');
  await expect(database[Symbol.asyncDispose]()).rejects.toThrow(/leaked:\nforgotten, idle since .*select 42/);
});

test('a database is gone after its disposal, and can be disposed of while a returned client is idle', async () => {
  const database = await freshDatabase();
  await database.pool().query('select 1');
  await database[Symbol.asyncDispose]();
  await expect(new Client({ connectionString: database.url }).connect()).rejects.toThrow('does not exist');
});
