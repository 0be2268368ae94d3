import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { findSystemPostgres } from './find-system-postgres.js';
import { startPostgres } from './start-postgres.js';

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // Each of these tests cuts connections on purpose; what it does to a query is looked at there.
  client.on('error', () => {});
  await client.connect();
  return client;
}

test('what Postgres acknowledged is there after a crash, without fsync too', async () => {
  await using postgres = await startPostgres({ fsync: false });
  const before = await connected(postgres.url);
  await before.query('create table kept (n int)');
  for (let n = 1; n <= 50; n += 1) await before.query('insert into kept values ($1)', [n]);
  const { pid, url } = postgres;
  await postgres.restart({ mode: 'immediate' });
  expect(postgres.pid).not.toBe(pid);
  expect(postgres.url).toBe(url);
  const after = await connected(postgres.url);
  expect((await after.query('select count(*)::int as n from kept')).rows).toEqual([{ n: 50 }]);
  await after.end();
});

test('a crash rolls back what was not committed', async () => {
  await using postgres = await startPostgres();
  const before = await connected(postgres.url);
  await before.query('create table kept (n int)');
  await before.query('begin; insert into kept values (1)');
  await postgres.restart();
  await expect(before.query('commit')).rejects.toThrow();
  const after = await connected(postgres.url);
  expect((await after.query('select * from kept')).rows).toEqual([]);
  await after.end();
});

test('a paused Postgres answers neither an open connection nor a new one, until it is resumed', async () => {
  await using postgres = await startPostgres();
  const open = await connected(postgres.url);
  postgres.pause();
  let answers = 0;
  const later = open.query('select 1').then(() => ++answers);
  const fresh = connected(postgres.url).then((client) => {
    answers += 1;
    return client;
  });
  const impatient = new Client({ connectionString: postgres.url, connectionTimeoutMillis: 300 });
  await expect(impatient.connect()).rejects.toThrow('timeout');
  expect(answers).toBe(0);
  postgres.resume();
  await later;
  await (await fresh).end();
  await open.end();
});

test('a paused Postgres can be stopped, and comes back with its data', async () => {
  await using postgres = await startPostgres();
  const before = await connected(postgres.url);
  await before.query('create table kept (n int)');
  postgres.pause();
  await postgres.stop({ mode: 'immediate' });
  await expect(connected(postgres.url)).rejects.toThrow('ECONNREFUSED');
  await postgres.start();
  const after = await connected(postgres.url);
  expect((await after.query(`select to_regclass('kept')::text as name`)).rows).toEqual([{ name: 'kept' }]);
  await after.end();
});

test('settings reach the server, and a commit waits for its log by default', async () => {
  await using postgres = await startPostgres({ fsync: true, settings: { max_connections: 17 } });
  const client = await connected(postgres.url);
  const show = async (name: string) => (await client.query(`show ${name}`)).rows[0][name];
  expect(await show('fsync')).toBe('on');
  expect(await show('full_page_writes')).toBe('on');
  expect(await show('synchronous_commit')).toBe('on');
  expect(await show('max_connections')).toBe('17');
  await client.end();
});

test('a wrong setting fails the start with the reason', async () => {
  const failure = await startPostgres({ settings: { max_connections: 'many' } }).catch(
    (error: Error) => error,
  );
  expect(String(failure)).toContain('max_connections');
});

test('nothing is left after the disposal: no process, no data', async () => {
  const postgres = await startPostgres();
  const client = await connected(postgres.url);
  const directory = dirname((await client.query('show data_directory')).rows[0].data_directory);
  const { pid } = postgres;
  expect(existsSync(directory)).toBe(true);
  await postgres[Symbol.asyncDispose]();
  expect(existsSync(directory)).toBe(false);
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

const home = findSystemPostgres(15);

test.skipIf(home === undefined)(
  `the system's own Postgres 15 runs with the same settings${home ? '' : ' (skipped: none is installed)'}`,
  async () => {
    await using postgres = await startPostgres({
      home: home as string,
      settings: { application_name: `it's 15` },
    });
    const client = await connected(postgres.url);
    const show = async (name: string) => (await client.query(`show ${name}`)).rows[0][name];
    expect(await show('server_version')).toMatch(/^15\./);
    expect(await show('application_name')).toBe(`it's 15`);
    expect(await show('full_page_writes')).toBe('off');
    await client.end();
  },
);

test('a version that is not installed is not found', () => {
  expect(findSystemPostgres(7)).toBeUndefined();
});
