import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.js';

/** A directory this process has to itself, or with those who share it too. */
export interface DirectoryClaim {
  release(): Promise<void>;
}

export interface ClaimOptions {
  /** How long to go on asking for it at least. @default 0 */
  readonly waitMs?: number;
  /** Whether others may have it at the same time, who say so too. @default false */
  readonly shared?: boolean;
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
 * @returns `undefined` when another process holds it
 */
export async function claimDirectory(
  directory: string,
  { waitMs = 0, shared = false }: ClaimOptions = {},
): Promise<DirectoryClaim | undefined> {
  const claims = join(directory, 'claims');
  await mkdir(claims, { recursive: true, mode: 0o700 });
  const until = performance.now() + waitMs;
  for (let round = 1; round <= ROUNDS || performance.now() < until; round += 1) {
    const own = join(claims, `${randomUUID()}.json`);
    // Renamed into place, so that nobody reads half of it.
    try {
      await writeFile(`${own}.new`, JSON.stringify({ ...ownIdentity(), shared }), { mode: 0o600 });
      await rename(`${own}.new`, own);
    } catch (error) {
      await rm(`${own}.new`, { force: true }).catch(() => {});
      throw error;
    }
    if (!(await hasRival(claims, own, shared))) return hold(own);
    await rm(own, { force: true });
    // Longer and longer apart, until they no longer meet; who waits for a short turn stays close.
    await delay(10 + Math.random() * 40 * Math.min(round, waitMs > 0 ? 2 : ROUNDS));
  }
  return undefined;
}

async function hasRival(claims: string, own: string, shared: boolean): Promise<boolean> {
  const now = (await stat(own)).mtimeMs;
  for (const name of await readdir(claims)) {
    const other = join(claims, name);
    if (other === own || !name.endsWith('.json')) continue;
    const claim = await read(other, now);
    if (claim && !(claim.shared && shared)) return true;
    if (!claim) await rm(other, { force: true });
  }
  return false;
}

interface Claim extends ProcessIdentity {
  readonly shared?: boolean;
}

/**
 * A claim whose process lives, by the file system's clock alone: `now` is when our own claim was written.
 * @returns `undefined` when it is a dead process's, or gone since it was listed
 */
async function read(file: string, now: number): Promise<Claim | undefined> {
  try {
    const claim = parsed(await readFile(file, 'utf8'));
    if (!claim) return undefined;
    const lives = isRunning(claim) ?? now - (await stat(file)).mtimeMs < SILENT_MS;
    return lives ? claim : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** It was whole when it was renamed into place: one that was cut short since was cut by the power, with its process. */
function parsed(text: string): Claim | undefined {
  try {
    return JSON.parse(text) as Claim;
  } catch {
    return undefined;
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
