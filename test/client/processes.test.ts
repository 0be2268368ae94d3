import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { spawnProgram, until } from '../resources/index.js';
import { hang, loseAnswer } from './replies.js';
import { type ScriptedServer, scriptedServer } from './scripted-server.js';

const program = new URL('./shop-client-program.ts', import.meta.url);

const start = (server: ScriptedServer, directory: string) =>
  spawnProgram<string[]>(program, { args: [server.url, directory, 'shared'] });

async function shared() {
  const path = await mkdtemp(join(tmpdir(), 'outbox-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

test('two processes over one directory: an intent of both is one operation, and each gets its outcome', async () => {
  await using server = await scriptedServer();
  await using directory = await shared();
  await using one = await start(server, directory.path);
  await using other = await start(server, directory.path);
  server.next(loseAnswer);
  for (const process of [one, other]) process.tell('place', 'checkout:1');
  const placed = await Promise.all([one, other].map((process) => process.hear('placed')));
  const [key] = server.effects;
  expect(placed).toEqual([{ orderId: key }, { orderId: key }]);
  expect(server.effects).toEqual([key]);
  expect(new Set(server.arrived.map((one) => one.key)).size).toBe(1);
});

test('what a killed process was sending, another one over the same directory goes on with, without a person', async () => {
  await using server = await scriptedServer();
  await using directory = await shared();
  await using watching = await start(server, directory.path);
  await using dying = await start(server, directory.path);
  server.next(hang);
  dying.tell('place', 'checkout:1');
  await until(() => server.arrived.length === 1);
  await dying.kill();
  // Its lease has to end first.
  const told = await watching.hear<{ key: string }>('onSettled', 50_000);
  expect(server.effects).toEqual([told.key]);
  expect(new Set(server.arrived.map(({ key, body }) => `${key} ${body}`)).size).toBe(1);
});
