import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.js';

/** A directory this process has to itself. */
export interface DirectoryClaim {
  release(): Promise<void>;
}

/** How often a holder shows that it lives, to machines that cannot see its process, and after how much silence they take over. */
const BEAT_MS = 10_000;
const SILENT_MS = 60_000;

/** Two that come at once both step back, so it takes a few rounds until one of them is alone. */
const ROUNDS = 8;

/**
 * Claims a directory for this process: everybody writes a claim of their own first and then looks for others, so of two
 * that overlap at least one sees the other and steps back. A dead process's claim is no obstacle; it has a name that
 * nobody uses again, so removing it can hit nobody else.
 *
 * @param waitMs how long to go on asking for it at least
 * @returns `undefined` when another process holds it
 */
export async function claimDirectory(directory: string, waitMs = 0): Promise<DirectoryClaim | undefined> {
  const claims = join(directory, 'claims');
  await mkdir(claims, { recursive: true, mode: 0o700 });
  const until = performance.now() + waitMs;
  for (let round = 1; round <= ROUNDS || performance.now() < until; round += 1) {
    const own = join(claims, `${randomUUID()}.json`);
    // Renamed into place, so that nobody reads half of it.
    await writeFile(`${own}.new`, JSON.stringify(ownIdentity()), { mode: 0o600 });
    await rename(`${own}.new`, own);
    if (!(await hasRival(claims, own))) return hold(own);
    await rm(own, { force: true });
    // Longer and longer apart, until they no longer meet; who waits for a short turn stays close.
    await delay(10 + Math.random() * 40 * Math.min(round, waitMs > 0 ? 2 : ROUNDS));
  }
  return undefined;
}

async function hasRival(claims: string, own: string): Promise<boolean> {
  const now = (await stat(own)).mtimeMs;
  for (const name of await readdir(claims)) {
    const other = join(claims, name);
    if (other === own || !name.endsWith('.json')) continue;
    if (await isAlive(other, now)) return true;
    await rm(other, { force: true });
  }
  return false;
}

/** By the file system's clock alone: `now` is when our own claim was written. */
async function isAlive(claim: string, now: number): Promise<boolean> {
  try {
    const running = isRunning(JSON.parse(await readFile(claim, 'utf8')) as ProcessIdentity);
    return running ?? now - (await stat(claim)).mtimeMs < SILENT_MS;
  } catch (error) {
    // Gone since it was listed.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function hold(own: string): DirectoryClaim {
  const beat = setInterval(() => {
    const now = new Date();
    utimes(own, now, now).catch(() => {});
  }, BEAT_MS);
  // A pending operation keeps a process alive; an idle outbox must not.
  beat.unref();
  return {
    async release() {
      clearInterval(beat);
      await rm(own, { force: true });
    },
  };
}
