import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { isHeld, type Lifeline } from './lifeline.js';
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.js';
import { forget, heardOf } from './silence.js';

/** What a claim says of whoever made it. */
export interface Claim extends ProcessIdentity {
  readonly shared?: boolean;
  /** Whoever keeps account of it: one copy of this module in one thread. */
  readonly holder?: string;
  readonly lifeline?: Pick<Lifeline, 'within' | 'name'> | undefined;
}

const holder = randomUUID();

/** What this copy of the module holds or is about to: a claim of ours that is not among them is nobody's. */
const held = new Set<string>();

/** Writes a claim of our own. Renamed into place, so that nobody reads half of it. @returns what it says */
export async function writeClaim(
  file: string,
  { shared, lifeline }: Pick<Claim, 'shared' | 'lifeline'>,
): Promise<string> {
  const claim: Claim = { ...ownIdentity(), shared: shared === true, holder, lifeline };
  const text = JSON.stringify(claim);
  held.add(basename(file));
  try {
    await writeFile(`${file}.new`, text, { mode: 0o600 });
    await rename(`${file}.new`, file);
    return text;
  } catch (error) {
    held.delete(basename(file));
    await rm(`${file}.new`, { force: true }).catch(() => {});
    throw error;
  }
}

const RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;

/**
 * Gives a claim of our own back. What cannot be removed now (a file system that is read-only for a moment) is tried again
 * until it can: it would be believed for as long as this thread lives. Here it counts no more from now on.
 */
export async function removeClaim(file: string, retryMs = RETRY_MS): Promise<void> {
  held.delete(basename(file));
  await rm(file, { force: true }).catch(() => {
    const again = () => void removeClaim(file, Math.min(2 * retryMs, LONGEST_RETRY_MS));
    setTimeout(again, retryMs).unref();
  });
}

/**
 * Shows that we live, by writing what is there once more: the file system's clock says when, as others will compare it, and
 * not ours. It takes no room, and makes nothing anew that is gone.
 * @throws when it is gone
 */
export async function touchClaim(file: string, text: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.write(text, 0);
  } finally {
    await handle.close();
  }
}

/**
 * What is to be thought of somebody's claim, by the surest that can be told from here: whether its thread runs, whether its
 * lifeline is held, and else by its beats.
 * @param nowMs by the file system's clock
 * @returns nothing when it is nobody's, or gone since it was listed
 */
export async function readClaim(
  file: string,
  nowMs: number,
): Promise<{ readonly claim: Claim; readonly lives: boolean | 'unclear' } | undefined> {
  try {
    const claim = parsed(await readFile(file, 'utf8'));
    if (!claim) return undefined;
    const isOurs = claim.holder === holder;
    const runs = isOurs ? held.has(basename(file)) : isRunning(claim);
    const lives = runs ?? (claim.lifeline && (await isHeld(claim.lifeline)));
    const heard = lives ?? heardOf(file, (await stat(file)).mtimeMs, nowMs);
    if (heard === false || heard === 'silent') return undefined;
    return { claim, lives: heard === 'unclear' ? heard : true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    forget(file);
    return undefined;
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
