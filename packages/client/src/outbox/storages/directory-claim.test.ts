import { randomUUID } from 'node:crypto';
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { touchClaim } from './claim-file.js';
import { claimDirectory, type DirectoryClaim } from './directory-claim.js';
import { holdLifeline } from './lifeline.js';
import { ownIdentity } from './process-identity.js';

async function emptyDirectory() {
  const path = await mkdtemp(join(tmpdir(), 'claims-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const claimsOf = async (directory: string) =>
  (await readdir(join(directory, 'claims'))).map((name) => join(directory, 'claims', name));

/** A claim as somebody else would have left it. */
async function leaveClaim(directory: string, claim: object, ageMs = 0): Promise<string> {
  const file = join(directory, 'claims', `${randomUUID()}.json`);
  await mkdir(join(directory, 'claims'), { recursive: true });
  await writeFile(file, JSON.stringify(claim));
  const then = new Date(Date.now() - ageMs);
  await utimes(file, then, then);
  return file;
}

const elsewhere = { where: 'another-machine boot ns', pid: 1, started: '1' };

test('a claim that cannot be given back now is nobody’s here at once, and is removed as soon as it can be', async () => {
  await using directory = await emptyDirectory();
  const first = await claimDirectory(directory.path);
  const [file] = await claimsOf(directory.path);
  await rename(file!, `${file}.kept`);
  // Which cannot be removed as a file can.
  await mkdir(file!);
  await first?.release();
  await rmdir(file!);
  await rename(`${file}.kept`, file!);
  const second = await claimDirectory(directory.path);
  expect(second).toBeDefined();
  await vi.waitFor(async () => expect(await claimsOf(directory.path)).toHaveLength(1), { timeout: 10_000 });
  await second?.release();
});

test('what could not be given back is removed later without anybody asking for it', async () => {
  await using directory = await emptyDirectory();
  const claim = await claimDirectory(directory.path);
  const [file] = await claimsOf(directory.path);
  await rename(file!, `${file}.kept`);
  await mkdir(file!);
  await claim?.release();
  await rmdir(file!);
  await rename(`${file}.kept`, file!);
  await vi.waitFor(async () => expect(await claimsOf(directory.path)).toEqual([]), { timeout: 10_000 });
});

test('where the system does not tell when a process started, its silence decides, though its number is used again', async () => {
  await using directory = await emptyDirectory();
  const reused = { ...ownIdentity(), pid: process.ppid, started: '' };
  const silent = await leaveClaim(directory.path, reused, 60_000);
  const claim = await claimDirectory(directory.path);
  expect(claim).toBeDefined();
  await expect(stat(silent)).rejects.toMatchObject({ code: 'ENOENT' });
  await claim?.release();
});

test('one that shows that it lives keeps what it has, wherever it is', async () => {
  await using directory = await emptyDirectory();
  for (const claim of [elsewhere, { ...ownIdentity(), pid: process.ppid, started: '' }]) {
    const file = await leaveClaim(directory.path, claim, 1_000);
    const beat = setInterval(() => void touchClaim(file, JSON.stringify(claim)).catch(() => {}), 50);
    expect(await claimDirectory(directory.path, { watchMs: 60_000 })).toBeUndefined();
    clearInterval(beat);
    await rm(file);
  }
});

test('a thread that has ended holds nothing, though its process and one of the same number go on', async () => {
  await using directory = await emptyDirectory();
  const { thread: _, ...own } = ownIdentity();
  const none = 4_194_304;
  await leaveClaim(directory.path, { ...own, thread: none });
  await leaveClaim(directory.path, { ...own, thread: own.pid, started: '1' });
  const claim = await claimDirectory(directory.path);
  expect(claim).toBeDefined();
  expect(await claimsOf(directory.path)).toHaveLength(1);
  await claim?.release();
});

test('seen from another process namespace a holder’s lifeline tells: while it is held nobody waits it out, and once it is not nobody waits', async () => {
  await using directory = await emptyDirectory();
  const lifeline = await holdLifeline();
  const { within, name } = lifeline!;
  // As silent as one that is stopped.
  await leaveClaim(directory.path, { ...elsewhere, lifeline: { within, name } }, 3_600_000);
  expect(await claimDirectory(directory.path)).toBeUndefined();
  lifeline?.release();
  await vi.waitFor(async () => {
    const claim = await claimDirectory(directory.path);
    expect(claim).toBeDefined();
    await claim?.release();
  });
});

test('a lifeline of another boot or network says nothing: silence decides', async () => {
  await using directory = await emptyDirectory();
  const lifeline = { within: `${hostname()} another boot`, name: 'trpc-once-none' };
  await leaveClaim(directory.path, { ...elsewhere, lifeline }, 1_000);
  expect(await claimDirectory(directory.path, { watchMs: 0 })).toBeUndefined();
});

test('a beat is by the file system’s clock, whatever time it is here', async () => {
  await using directory = await emptyDirectory();
  const file = await leaveClaim(directory.path, elsewhere, 3_600_000);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 7_200_000 });
  try {
    await touchClaim(file, JSON.stringify(elsewhere));
    const fresh = join(directory.path, 'fresh');
    await writeFile(fresh, '');
    expect(Math.abs((await stat(fresh)).mtimeMs - (await stat(file)).mtimeMs)).toBeLessThan(10_000);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(elsewhere);
  } finally {
    vi.useRealTimers();
  }
});

test('a beat brings nothing back that was taken', async () => {
  await using directory = await emptyDirectory();
  const file = await leaveClaim(directory.path, elsewhere);
  await rm(file);
  await expect(touchClaim(file, '{}')).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await claimsOf(directory.path)).toEqual([]);
});

test('a holder finds out whether it was taken over, or the whole directory is gone or another one', async () => {
  await using place = await emptyDirectory();
  const path = join(place.path, 'outbox');
  const holding = async () => {
    await mkdir(path, { recursive: true });
    const claim = (await claimDirectory(path)) as DirectoryClaim;
    // Long enough after the directory was made for its clock to have ticked: a new one of the same inode is told by that.
    await vi.waitFor(async () => {
      await writeFile(join(path, 'record'), '');
      await rm(join(path, 'record'));
      const { birthtimeMs, ctimeMs } = await stat(path);
      expect(ctimeMs).toBeGreaterThan(birthtimeMs);
    });
    expect([await claim.look(), claim.lost]).toEqual(['held', false]);
    return claim;
  };
  const removed = await holding();
  const [taken] = await claimsOf(path);
  await rm(taken!);
  expect([await removed.look(), removed.lost]).toEqual(['taken', true]);
  await removed.release();

  const gone = await holding();
  await rm(path, { recursive: true });
  expect([await gone.look(), gone.lost]).toEqual(['removed', true]);
  await mkdir(join(path, 'claims'), { recursive: true });
  expect([await gone.look(), gone.lost]).toEqual(['replaced', true]);
  await gone.release();

  const copied = await holding();
  const [own] = await claimsOf(path);
  await rename(path, join(place.path, 'former'));
  await mkdir(join(path, 'claims'), { recursive: true });
  await copyFile(own!.replace('outbox', 'former'), own!);
  expect([await copied.look(), copied.lost]).toEqual(['replaced', true]);
  await copied.release();
});

test('one that was stopped finds its claim lost by the time, before it has looked', async () => {
  await using directory = await emptyDirectory();
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] });
  try {
    const claim = await claimDirectory(directory.path);
    expect(claim?.lost).toBe(false);
    vi.setSystemTime(Date.now() + 60_000);
    expect(claim?.lost).toBe(true);
    expect(await claim?.look()).toBe('held');
    expect(claim?.lost).toBe(false);
    await claim?.release();
  } finally {
    vi.useRealTimers();
  }
});
