import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutboxStorage } from '@trpc-once/client';
import { fileStorage } from '@trpc-once/client/file';
import { expect, test } from 'vitest';
import { spawnProgram } from '../resources/index.js';
import { exposedStorageConformance, sharedStorageConformance } from './outbox-storage.js';

async function emptyDirectory(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'outbox-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const holder = new URL('./file-storage-program.ts', import.meta.url);
const hold = (directory: string) => spawnProgram<{ refused?: string }>(holder, { args: [directory] });

const counter = new URL('./file-counter-program.ts', import.meta.url);

const operationsIn = async (directory: string) =>
  (await readdir(directory)).filter((file) => file.endsWith('.operation'));

/** A claim as another process would have left it. */
async function leaveClaim(directory: string, content: object | string, ageMs = 0): Promise<string> {
  const file = join(directory, 'claims', `${randomUUID()}.json`);
  await mkdir(join(directory, 'claims'), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  const then = new Date(Date.now() - ageMs);
  await utimes(file, then, then);
  return file;
}

exposedStorageConformance('file', async () => {
  const directory = await emptyDirectory();
  let last: OutboxStorage | undefined;
  return {
    async open() {
      await last?.close?.();
      last = fileStorage(directory.path);
      return last;
    },
    async damage(id) {
      const before = await operationsIn(directory.path);
      await last?.delete(id);
      const after = await operationsIn(directory.path);
      const [file] = before.filter((one) => !after.includes(one));
      await writeFile(join(directory.path, file!), id.slice(0, 5));
    },
    async [Symbol.asyncDispose]() {
      await last?.close?.();
      await directory[Symbol.asyncDispose]();
    },
  };
});

sharedStorageConformance('a shared file', async () => {
  const directory = await emptyDirectory();
  const open = async () => fileStorage(directory.path, { shared: true });
  return {
    open,
    another: open,
    async damage(id) {
      const before = await operationsIn(directory.path);
      await fileStorage(directory.path, { shared: true }).delete(id);
      const after = await operationsIn(directory.path);
      const [file] = before.filter((one) => !after.includes(one));
      await writeFile(join(directory.path, file!), id.slice(0, 5));
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
});

test('of many changes of one record by several processes none is lost', async () => {
  await using directory = await emptyDirectory();
  const all = await Promise.all(
    [1, 2, 3].map(() => spawnProgram<{ swaps: number }>(counter, { args: [directory.path, '20'] })),
  );
  try {
    expect(all.map(({ ready }) => ready.swaps)).toEqual([20, 20, 20]);
    const [record] = await fileStorage(directory.path, { shared: true }).entries();
    expect(record?.text).toBe('60');
  } finally {
    await Promise.all(all.map((program) => program[Symbol.asyncDispose]()));
  }
});

test('a process that was killed while it changed a record keeps nobody from it', async () => {
  await using directory = await emptyDirectory();
  await using victim = await spawnProgram(counter, { args: [directory.path, 'for ever'] });
  await victim.kill();
  const storage = fileStorage(directory.path, { shared: true });
  const left = await storage.get('counter');
  expect(Number(left?.text)).toBeGreaterThan(0);
  expect(await storage.swap('counter', left?.text, 'later')).toBe(true);
});

test('a second process is told that the directory is in use, and gets it when the first lets go', async () => {
  await using directory = await emptyDirectory();
  await using first = await hold(directory.path);
  expect(first.ready).toEqual({});
  const storage = fileStorage(directory.path);
  for (const use of [() => storage.entries(), () => storage.set('id', 'text')])
    await expect(use()).rejects.toMatchObject({ name: 'OutboxStorageError', reason: 'in-use' });
  await first.stop();
  expect(await storage.entries()).toEqual([{ id: 'from the program', text: 'kept' }]);
  await storage.close?.();
});

test('a process that was killed holds nothing, and what it had stored is there', async () => {
  await using directory = await emptyDirectory();
  await using first = await hold(directory.path);
  await first.kill();
  const storage = fileStorage(directory.path);
  expect(await storage.entries()).toEqual([{ id: 'from the program', text: 'kept' }]);
  await storage.close?.();
});

test('of several processes that start at once, exactly one gets the directory', async () => {
  await using directory = await emptyDirectory();
  const all = await Promise.all([1, 2, 3, 4].map(() => hold(directory.path)));
  try {
    expect(all.map(({ ready }) => ready.refused ?? 'has it').sort()).toEqual([
      'has it',
      'in-use',
      'in-use',
      'in-use',
    ]);
  } finally {
    await Promise.all(all.map((program) => program[Symbol.asyncDispose]()));
  }
});

test('two outboxes of one process do not share a directory either', async () => {
  await using directory = await emptyDirectory();
  const one = fileStorage(directory.path);
  const other = fileStorage(directory.path);
  await one.set('id', 'text');
  await expect(other.entries()).rejects.toMatchObject({ reason: 'in-use' });
  await one.close?.();
  expect((await other.entries()).length).toBe(1);
  await other.close?.();
});

test('a pid that is used again is not taken for the process that had it', async () => {
  await using directory = await emptyDirectory();
  const storage = fileStorage(directory.path);
  await storage.entries();
  const [own] = await readdir(join(directory.path, 'claims'));
  const identity = JSON.parse(await readFile(join(directory.path, 'claims', own!), 'utf8'));
  await storage.close?.();
  const left = await leaveClaim(directory.path, { ...identity, started: '1' });
  expect(await storage.entries()).toEqual([]);
  await expect(stat(left)).rejects.toMatchObject({ code: 'ENOENT' });
  await storage.close?.();
});

test('a claim that the power cut short is nobody’s', async () => {
  await using directory = await emptyDirectory();
  const storage = fileStorage(directory.path);
  const left = [await leaveClaim(directory.path, ''), await leaveClaim(directory.path, '{"where":"here')];
  expect(await storage.entries()).toEqual([]);
  for (const file of left) await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  await storage.close?.();
});

test('who shares a directory and who has it to himself keep out of each other’s way', async () => {
  await using directory = await emptyDirectory();
  const own = fileStorage(directory.path);
  const sharing = [1, 2].map(() => fileStorage(directory.path, { shared: true }));
  await own.set('id', 'text');
  for (const one of sharing)
    await expect(one.set('id', 'theirs')).rejects.toMatchObject({ reason: 'in-use' });
  await own.close?.();
  for (const one of sharing) await one.set('id', 'theirs');
  await expect(own.entries()).rejects.toMatchObject({ reason: 'in-use' });
  for (const one of sharing) await one.close?.();
  // A lease that is given back late.
  expect(await sharing[0]?.swap('lease', undefined, undefined)).toBe(true);
  expect(await own.entries()).toEqual([{ id: 'id', text: 'theirs' }]);
  await own.close?.();
});

test('what an unfinished write left is cleared away and never read', async () => {
  await using directory = await emptyDirectory();
  await writeFile(join(directory.path, `abc.operation.${randomUUID()}.new`), 'half');
  const storage = fileStorage(directory.path);
  expect(await storage.entries()).toEqual([]);
  expect(await readdir(directory.path)).toEqual(['claims']);
  await storage.close?.();
});

test('a write replaces whole files only: whenever one looks, the text is the former or the new one', async () => {
  await using directory = await emptyDirectory();
  const storage = fileStorage(directory.path);
  const versions = ['a'.repeat(200_000), 'b'.repeat(300_000)];
  await storage.set('id', versions[0]!);
  let writing = true;
  const writes = (async () => {
    for (let n = 0; n < 40; n += 1) await storage.set('id', versions[n % 2]!);
    writing = false;
  })();
  let looks = 0;
  while (writing) {
    const found = await storage.entries();
    expect(found.map(({ id, text }) => [id, versions.includes(text!)])).toEqual([['id', true]]);
    looks += 1;
  }
  await writes;
  expect(looks).toBeGreaterThan(5);
  await storage.close?.();
});

test('bodies are for their user alone to read', async () => {
  await using directory = await emptyDirectory();
  const path = join(directory.path, 'made', 'by-the-storage');
  const storage = fileStorage(path);
  await storage.set('id', 'card number');
  const [file] = await operationsIn(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  expect((await stat(join(path, file!))).mode & 0o777).toBe(0o600);
  await storage.close?.();
});

test('a file that cannot be read, or was emptied, is reported and hides no other', async () => {
  await using directory = await emptyDirectory();
  const storage = fileStorage(directory.path);
  await storage.set('emptied', 'text');
  const [emptied] = await operationsIn(directory.path);
  await truncate(join(directory.path, emptied!), 0);
  await mkdir(join(directory.path, 'folder.operation'));
  await storage.set('fine', 'text');
  const found = Object.fromEntries((await storage.entries()).map(({ id, text }) => [id, text]));
  expect(found).toEqual({ fine: 'text', [emptied!]: '', 'folder.operation': undefined });
  await storage.close?.();
});

test('a file that cannot be read for a moment is neither damaged nor gone: it is named if it was known, and a look is refused', async () => {
  await using directory = await emptyDirectory();
  const open = () => fileStorage(directory.path);
  const storage = open();
  await storage.set('id', 'text');
  await storage.set('fine', 'text');
  const before = await operationsIn(directory.path);
  await storage.delete('id');
  const [file] = before.filter((one) => !existsSync(join(directory.path, one)));
  await storage.set('id', 'text');
  const path = join(directory.path, file!);
  await rename(path, `${path}.away`);
  // Which no reading comes to the end of.
  await symlink(path, path);
  const unread = (id: string) => ({
    id,
    text: undefined,
    unread: true,
    reason: expect.stringContaining('ELOOP'),
  });
  const listed = (all: readonly { readonly id: string }[]) => all.filter(({ id }) => id !== 'fine');
  expect(listed(await storage.entries())).toEqual([unread('id')]);
  await expect(storage.get('id')).rejects.toMatchObject({ name: 'OutboxStorageError' });
  await expect(storage.swap('id', undefined, 'other')).rejects.toMatchObject({ name: 'OutboxStorageError' });
  await storage.close?.();
  const next = open();
  expect(listed(await next.entries())).toEqual([unread(file!)]);
  await rename(`${path}.away`, path);
  expect(listed(await next.entries())).toEqual([{ id: 'id', text: 'text' }]);
  await next.close?.();
});

test('a place that is no directory is unavailable', async () => {
  await using directory = await emptyDirectory();
  const file = join(directory.path, 'file');
  await writeFile(file, '');
  const unavailable = { name: 'OutboxStorageError', reason: 'unavailable' };
  // Nothing was stored of what is refused so, whatever the system says.
  for (const path of [join(file, 'outbox'), file, join(directory.path, 'n'.repeat(300))])
    await expect(fileStorage(path).set('id', 'text')).rejects.toMatchObject(unavailable);
});
