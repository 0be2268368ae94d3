import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OutboxStorageError } from '../../errors/outbox-storage-error.js';
import { claimDirectory, type DirectoryClaim } from './directory-claim.js';
import { holdLifeline } from './lifeline.js';
import { BEAT_MS, SILENT_MS } from './silence.js';

/** A write that is older than this will not be finished any more. */
const ABANDONED_MS = 3_600_000;

export interface ClaimedDirectoryOptions {
  /** For messages. */
  readonly name: string;
  readonly shared: boolean;
  /** It is another directory than before, which nobody but this process can know of what was in the former one. */
  onReplaced(): Promise<void>;
}

/** A directory of which every use makes sure first that it is still this process's, or one of those that share it. */
export class ClaimedDirectory {
  readonly #path: string;
  readonly #options: ClaimedDirectoryOptions;
  #lifeline: ReturnType<typeof holdLifeline> | undefined;
  #claiming: Promise<DirectoryClaim> | undefined;
  /** The latest that was had. */
  #claim: DirectoryClaim | undefined;
  #closed = false;
  #isReplaced = false;
  /** How often somebody else may have had it. */
  taken = 0;

  constructor(path: string, options: ClaimedDirectoryOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** Whether somebody else may have it by now. */
  get lost(): boolean {
    return this.#claim?.lost === true;
  }

  /** @throws OutboxStorageError `in-use` when it is somebody else's, `unavailable` while it is gone */
  async ensure(): Promise<void> {
    // A lease that is given back after the end would otherwise leave a claim behind.
    if (this.#closed && this.#options.shared) return;
    this.#claiming ??= this.#take();
    const claiming = this.#claiming;
    const claim = await claiming.catch((cause) => {
      // The process that has it may be gone the next time.
      if (this.#claiming === claiming) this.#claiming = undefined;
      throw cause;
    });
    const standing = await claim.look();
    if (standing === 'held') return;
    if (standing === 'removed')
      throw new OutboxStorageError(this.#options.name, 'unavailable', 'the directory is not there any more');
    // Whoever finds it first.
    if (this.#claiming === claiming) {
      if (standing === 'taken') this.taken += 1;
      else this.#isReplaced = true;
      this.#claiming = claim.release().then(() => this.#take());
    }
    return this.ensure();
  }

  async #take(): Promise<DirectoryClaim> {
    const { name, shared, onReplaced } = this.#options;
    await mkdir(this.#path, { recursive: true, mode: 0o700 });
    this.#lifeline ??= holdLifeline();
    const lifeline = await this.#lifeline;
    const claim = await claimDirectory(this.#path, { shared, lifeline, watchMs: SILENT_MS + BEAT_MS });
    if (!claim)
      throw new OutboxStorageError(
        name,
        'in-use',
        'another process has it; give each its own directory, or all of them { shared: true }',
      );
    this.#claim = claim;
    // Left by a process that ended in the middle of a write, which therefore never counted.
    for (const left of (await readdir(this.#path)).filter((file) => file.endsWith('.new')))
      if (!shared || (await isAbandoned(join(this.#path, left))))
        await rm(join(this.#path, left), { force: true });
    if (this.#isReplaced) await onReplaced();
    this.#isReplaced = false;
    return claim;
  }

  /** What a claim of a part of it says of us. */
  async lifeline(): ReturnType<typeof holdLifeline> {
    return this.#closed ? undefined : this.#lifeline;
  }

  async release(): Promise<void> {
    this.#closed = true;
    const claim = await this.#claiming?.catch(() => undefined);
    this.#claiming = undefined;
    this.#claim = undefined;
    await claim?.release();
    (await this.#lifeline)?.release();
    this.#lifeline = undefined;
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  const written = await stat(file).catch(() => undefined);
  return written !== undefined && Date.now() - written.mtimeMs > ABANDONED_MS;
}
