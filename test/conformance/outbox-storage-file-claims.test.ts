import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { isNotSent, isOutcomeUnknown } from '@trpc-once/client';
import { fileStorage } from '@trpc-once/client/file';
import { expect, test } from 'vitest';
import { shopClient } from '../client/clients.js';
import { reset, result } from '../client/replies.js';
import { scriptedServer } from '../client/scripted-server.js';
import { spawnProgram } from '../resources/index.js';

async function emptyDirectory(): Promise<{ readonly path: string } & AsyncDisposable> {
  const place = await mkdtemp(join(tmpdir(), 'outbox-'));
  const path = join(place, 'outbox');
  return { path, [Symbol.asyncDispose]: () => rm(place, { recursive: true, force: true }) };
}

const counter = new URL('./file-counter-worker.mjs', import.meta.url);
const holder = new URL('./file-storage-program.ts', import.meta.url);

const refused = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => expect.fail(`it came to ${JSON.stringify(value)}`),
    (error) => error,
  );

test('a worker thread that was terminated in the middle of a change holds nothing, though its process goes on', async () => {
  for (const shared of [true, false]) {
    await using directory = await emptyDirectory();
    for (let n = 0; n < 3; n += 1) {
      const worker = new Worker(counter, {
        execArgv: ['--conditions=@trpc-once/source'],
        workerData: { directory: directory.path, shared },
      });
      expect(await once(worker, 'message')).toEqual(['counts']);
      await worker.terminate();
    }
    const storage = fileStorage(directory.path, { shared });
    const left = await storage.get('counter');
    expect(Number(left?.text)).toBeGreaterThanOrEqual(9);
    expect(await storage.swap('counter', left?.text, 'later')).toBe(true);
    await storage.close?.();
  }
});

test('one that was taken over while it was stopped stores and sends nothing more, until it has its directory again', async () => {
  await using server = await scriptedServer();
  await using directory = await emptyDirectory();
  const client = shopClient(server.url, { storage: fileStorage(directory.path), resumeByTime: false });
  const place = (intent: string) => client.orders.place.mutate({ sku: intent }, { intent });
  try {
    server.always(reset);
    const pending = await refused(place('pending'));
    expect(isOutcomeUnknown(pending)).toBe(true);
    const sent = server.arrived.length;
    // As it is done by whoever takes over.
    for (const claim of await readdir(join(directory.path, 'claims')))
      await rm(join(directory.path, 'claims', claim));
    await using other = await spawnProgram(holder, { args: [directory.path] });
    expect(other.ready).toEqual({});
    for (const use of [() => place('new'), () => client.orders.place.mutate({ sku: 'none' })]) {
      const error = await refused(use());
      expect([isNotSent(error), (error as Error).message]).toEqual([
        true,
        expect.stringContaining('another process has it'),
      ]);
    }
    const known = isOutcomeUnknown(pending) ? await refused(pending.resume()) : undefined;
    expect(known).toMatchObject({ name: 'OutcomeUnknownError', cause: { reason: 'in-use' } });
    expect(server.arrived.length).toBe(sent);
    await other.stop();
    server.always(result());
    const key = server.arrived[0]?.key;
    expect(await place('pending')).toEqual({ orderId: key });
    expect(server.effects).toEqual([key]);
  } finally {
    await client.outbox.close();
  }
});

test('what is pending outlives its directory, removed or replaced under its process: no second key, and it is there again', async () => {
  for (const shared of [true, false]) {
    await using server = await scriptedServer();
    await using directory = await emptyDirectory();
    const client = shopClient(server.url, {
      storage: fileStorage(directory.path, { shared }),
      resumeByTime: false,
    });
    const place = (intent: string) => client.orders.place.mutate({ sku: intent }, { intent, waitMs: 1_000 });
    try {
      server.always(reset);
      expect(isOutcomeUnknown(await refused(place('pending')))).toBe(true);
      await rename(directory.path, `${directory.path}.away`);
      expect(isNotSent(await refused(place('new')))).toBe(true);
      expect(isOutcomeUnknown(await refused(place('pending')))).toBe(true);
      await mkdir(directory.path);
      expect(isOutcomeUnknown(await refused(place('pending')))).toBe(true);
      expect(new Set(server.arrived.map(({ key }) => key)).size).toBe(1);
      expect((await client.outbox.list()).map(({ intent }) => intent)).toEqual(['pending']);
    } finally {
      await client.outbox.close();
    }
    const next = fileStorage(directory.path, { shared });
    expect((await next.entries()).filter(({ id }) => !id.startsWith('lease')).length).toBe(1);
    await next.close?.();
  }
});
