import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { spawnProgram, until } from '../resources/index.js';
import { hang, reset, result } from './replies.js';
import { type ScriptedServer, scriptedServer } from './scripted-server.js';

const program = new URL('./shop-client-program.ts', import.meta.url);

async function outboxDirectory() {
  const path = await mkdtemp(join(tmpdir(), 'outbox-'));
  const records = async () => (await readdir(path)).filter((file) => file.endsWith('.operation'));
  return { path, records, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Starts the client's process; `ready` are the keys it found. */
const start = (server: ScriptedServer, directory: { path: string }) =>
  spawnProgram<string[]>(program, { args: [server.url, directory.path] });

test('cases 40 and 41: killed in mid-flight, the next process resumes with the same key, and the outcome is told', async () => {
  await using server = await scriptedServer();
  await using directory = await outboxDirectory();
  server.next(hang);
  await using first = await start(server, directory);
  first.tell('place', 'checkout:1');
  const [sent] = await until(() => server.arrived.length > 0 && server.arrived);
  await first.kill();
  expect(await directory.records()).toHaveLength(1);
  await using second = await start(server, directory);
  expect(second.ready).toEqual([sent!.key]);
  const settled = await second.hear('onSettled');
  expect(settled).toMatchObject({ key: sent!.key, outcome: { ok: true, data: { orderId: sent!.key } } });
  expect(server.arrived.map(({ key, body }) => [key, body])).toEqual(Array(2).fill([sent!.key, sent!.body]));
  expect(server.effects).toEqual([sent!.key]);
  await until(async () => (await directory.records()).length === 0);
});

test('case 40: a call made again after the kill joins the operation that is resumed', async () => {
  await using server = await scriptedServer();
  await using directory = await outboxDirectory();
  server.next(hang);
  await using first = await start(server, directory);
  first.tell('place', 'checkout:1');
  const key = await first.hear<string>('sending');
  await until(() => server.arrived.length === 1);
  await first.kill();
  const answers: (() => void)[] = [];
  server.always((exchange) => answers.push(() => result()(exchange)));
  await using second = await start(server, directory);
  second.tell('place', 'checkout:1');
  await until(() => answers.length === 1);
  answers.shift()?.();
  expect(await second.hear('placed')).toEqual({ orderId: key });
  expect(server.effects).toEqual([key]);
});

test('case 40: offline for five reloads leaves one record, and one effect once online', async () => {
  await using server = await scriptedServer();
  await using directory = await outboxDirectory();
  server.always(reset);
  for (let reload = 1; reload <= 5; reload += 1) {
    await using process = await start(server, directory);
    const before = server.arrived.length;
    process.tell('place', 'checkout:1');
    await until(() => server.arrived.length > before);
    await process.kill();
    expect(await directory.records()).toHaveLength(1);
  }
  expect(new Set(server.arrived.map(({ key }) => key)).size).toBe(1);
  server.always(result());
  await using online = await start(server, directory);
  await online.hear('onSettled');
  expect(server.effects).toEqual([server.arrived[0]!.key]);
});

test('killed at any time, with several operations under way, none is lost and none is doubled', async () => {
  await using server = await scriptedServer();
  await using directory = await outboxDirectory();
  server.always(async (exchange) => {
    // Half of the answers are lost on the way.
    if (server.arrived.length % 2 === 1) reset(exchange);
    else result()(exchange);
  });
  const intents = Array.from({ length: 12 }, (_, n) => `checkout:${n}`);
  for (const killAfterMs of [0, 5, 15, 40]) {
    await using process = await start(server, directory);
    const mine = intents.splice(0, 3);
    for (const intent of mine) process.tell('place', intent);
    for (const _ of mine) await process.hear('persisted');
    await new Promise((resolve) => setTimeout(resolve, killAfterMs));
    await process.kill();
  }
  await using last = await start(server, directory);
  await until(async () => (await directory.records()).length === 0, { withinMs: 20_000 });
  expect(last.output()).toBe('');
  const skus = server.arrived.map(({ key, body }) => ({ key, sku: JSON.parse(body).sku as string }));
  const keys = new Map(skus.map(({ key, sku }) => [sku, key]));
  expect(keys.size).toBe(12);
  for (const { key, sku } of skus) expect(key).toBe(keys.get(sku));
  expect([...server.effects].sort()).toEqual([...keys.values()].sort());
});
