import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Claim, readClaim, removeClaim, touchClaim, writeClaim } from './claim-file.js';
import { BEAT_MS, forget, SILENT_MS } from './silence.js';
import { sinceThen } from './since-then.js';

/** A directory this thread has to itself, or with those who share it too. */
export interface DirectoryClaim {
  /**
   * Whether it may be somebody else's by now: it is known to be gone, or nobody has looked for so long that it could be.
   * Told from the time, so that one who was stopped finds it so.
   */
  readonly lost: boolean;
  /**
   * Looks what became of it. Whoever takes a directory over removes the claim first, so one that is still there holds.
   * @throws whatever keeps it from looking
   */
  look(): Promise<Standing>;
  release(): Promise<void>;
}

/**
 * - `held`: it is still ours;
 * - `taken`: it was removed, by somebody who could not tell that we live;
 * - `removed`: the whole directory is gone, so that nobody has it;
 * - `replaced`: there is another directory in its place.
 */
export type Standing = 'held' | 'taken' | 'removed' | 'replaced';

export interface ClaimOptions extends Pick<Claim, 'lifeline'> {
  /** How long to go on asking for it at least. @default 0 */
  readonly waitMs?: number;
  /** How long to watch those of whom only silence can tell. @default waitMs */
  readonly watchMs?: number;
  /** Whether others may have it at the same time, who say so too. @default false */
  readonly shared?: boolean;
  /** Which one of its turns is wanted, and not the directory itself. */
  readonly turn?: string;
}

/** Two that come at once both step back, so it takes a few rounds until one of them is alone. */
const ROUNDS = 8;

/** Shorter than the silence after which somebody takes over, by more than a look and what follows on it may take. */
const FRESH_MS = SILENT_MS / 2;

/**
 * Claims a directory for this thread: everybody writes a claim of their own first and then looks for others, so of two
 * that overlap at least one sees the other and steps back. What is nobody's any more is no obstacle; it has a name that
 * nobody uses again, so removing it can hit nobody else.
 *
 * A claim must not outlive its holder, and a holder's must not be taken. Who holds it is a thread, of whom others learn
 * whatever can be told from where they are:
 *
 * | seen from | told by | a holder that is stopped |
 * |---|---|---|
 * | the same copy of this module | what it holds | |
 * | the same process namespace, on Linux | the thread and when it started | keeps it |
 * | the same network namespace, on Linux | its lifeline | keeps it |
 * | anywhere else, if there is no such process | that | |
 * | anywhere else | its beats: silent for {@link SILENT_MS}, it is nobody's | loses it, and finds that out when it looks, before it stores or sends anything |
 *
 * @param directory which is there
 * @returns `undefined` when somebody else holds it
 */
export async function claimDirectory(
  directory: string,
  { waitMs = 0, watchMs = waitMs, shared = false, lifeline, turn }: ClaimOptions = {},
): Promise<DirectoryClaim | undefined> {
  const claims = await folder(directory, ...(turn === undefined ? [] : ['turns', turn]), 'claims');
  const waitedMs = sinceThen();
  for (let round = 1; ; round += 1) {
    const own = join(claims, `${randomUUID()}.json`);
    const text = await writeClaim(own, { shared, lifeline });
    const rival = await findRival(claims, own, shared).catch(async (error) => {
      await removeClaim(own);
      throw error;
    });
    if (!rival) return hold(directory, own, text);
    await removeClaim(own);
    if (round >= ROUNDS && waitedMs() > (rival === 'unclear' ? watchMs : waitMs)) return undefined;
    // Longer and longer apart, until they no longer meet; who waits for a short turn stays close.
    await delay(10 + Math.random() * 40 * Math.min(round, waitMs > 0 ? 2 : ROUNDS));
  }
}

/** Made one by one: a directory that was removed must not come back by the way. */
async function folder(directory: string, ...parts: string[]): Promise<string> {
  let path = directory;
  for (const part of parts) {
    path = join(path, part);
    await mkdir(path, 0o700).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  return path;
}

async function findRival(
  claims: string,
  own: string,
  shared: boolean,
): Promise<true | 'unclear' | undefined> {
  const now = (await stat(own)).mtimeMs;
  let isUnclear = false;
  for (const name of await readdir(claims)) {
    const other = join(claims, name);
    if (other === own || !name.endsWith('.json')) continue;
    const found = await readClaim(other, now);
    if (!found) {
      await rm(other, { force: true });
      forget(other);
    } else if (!(found.claim.shared && shared)) {
      if (found.lives === true) return true;
      isUnclear = true;
    }
  }
  return isUnclear ? 'unclear' : undefined;
}

function hold(directory: string, own: string, text: string): DirectoryClaim {
  let made: { readonly file: BigIntStats | undefined; readonly home: BigIntStats | undefined } | undefined;
  let agedMs = sinceThen();
  let isGone = false;
  const beat = setInterval(() => {
    const beganMs = sinceThen();
    touchClaim(own, text).then(
      () => {
        agedMs = beganMs;
      },
      (error: NodeJS.ErrnoException) => {
        isGone ||= error.code === 'ENOENT';
      },
    );
  }, BEAT_MS);
  // A pending operation keeps a process alive; an idle outbox must not.
  beat.unref();
  return {
    get lost() {
      return isGone || agedMs() > FRESH_MS;
    },
    async look() {
      const beganMs = sinceThen();
      const file = await statOf(own);
      made ??= { file, home: await statOf(directory) };
      const home = isSame(made.file, file) && !isGone ? made.home : await statOf(directory);
      // A copy of it may lie in a copy of the directory.
      const isHome = isSame(made.home, home);
      if (file && isHome) {
        agedMs = beganMs;
        isGone = false;
        return 'held';
      }
      isGone = true;
      if (isHome) return 'taken';
      return home ? 'replaced' : 'removed';
    },
    release() {
      clearInterval(beat);
      return removeClaim(own);
    },
  };
}

/** `undefined` when it is not there. */
async function statOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The same file or directory. Inodes are used again at once, so by its birth as well, where the system knows it: some give
 * the time of the latest change instead.
 */
function isSame(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  if (one?.ino !== other?.ino || one?.dev !== other?.dev) return false;
  if (!one || !other || one.birthtimeNs === other.birthtimeNs) return true;
  return [one, other].every(({ birthtimeNs, ctimeNs }) => birthtimeNs === ctimeNs);
}
