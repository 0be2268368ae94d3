import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OutboxStorageError } from '../../errors/outbox-storage-error.js';
import { betweenProcesses } from '../coordination/between-processes.js';
import { alone } from '../others/alone.js';
import type { OutboxStorage, StoredEntry } from '../store/storage.js';
import { claimDirectory, type DirectoryClaim } from './directory-claim.js';
import { refusal } from './refusal.js';
import { turns } from './turns.js';

export interface FileStorageOptions {
  /**
   * Whether other processes may have the directory at the same time, on this machine or over a network file system. Each
   * change then takes a claim on its record first, which costs about a millisecond. @default false
   */
  readonly shared?: boolean;
}

/** How long a change waits for its turn among processes before it is refused as `in-use`. */
const TURN_WAIT_MS = 20_000;

/** A write that is older than this will not be finished any more. */
const ABANDONED_MS = 3_600_000;

/**
 * Keeps operations of a Node process in a directory, one file each, readable by its user alone. A write counts once it
 * would survive a power cut: the file is flushed, renamed into place, and the directory flushed. `swap` is one step among
 * all that may have the directory.
 *
 * One process has the directory to itself, from the first use until `close()` or its end, however it ends; for another
 * one every use is an `OutboxStorageError` with reason `in-use` until then. Give each process a directory of its own, or
 * let all of them say `shared`.
 *
 * @example
 * ```ts
 * const client = createIdempotentClient({ contract, url, owner, storage: fileStorage('/var/lib/shop/outbox') });
 * ```
 */
export function fileStorage(directory: string, { shared = false }: FileStorageOptions = {}): OutboxStorage {
  const name = `file storage ${directory}`;
  let claiming: Promise<DirectoryClaim> | undefined;
  let closed = false;
  const inTurn = turns();

  const claim = async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // A lease that is given back after the end would otherwise leave a claim behind.
    const claimed = shared && closed ? nobodys : await claimDirectory(directory, { shared });
    if (!claimed)
      throw new OutboxStorageError(
        name,
        'in-use',
        'another process has it; give each its own directory, or all of them { shared: true }',
      );
    // Left by a process that ended in the middle of a write, which therefore never counted.
    for (const left of (await readdir(directory)).filter((file) => file.endsWith('.new')))
      if (!shared || (await isAbandoned(join(directory, left))))
        await rm(join(directory, left), { force: true });
    return claimed;
  };

  const use = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      claiming ??= claim();
      // The process that has it may be gone the next time.
      await claiming.catch((cause) => {
        claiming = undefined;
        throw cause;
      });
      return await act();
    } catch (cause) {
      throw refusal(
        name,
        cause,
        UNAVAILABLE.test(String((cause as NodeJS.ErrnoException).code)) ? 'unavailable' : 'failed',
      );
    }
  };

  // Among processes a few hundred turns keep different records apart well enough, and leave few folders behind.
  const turnOf = (id: string) => (shared ? fileOf(id).slice(0, 2) : id);
  /** A change of one record, when its turn has come: in this process, and among those that share. */
  const change = <T>(id: string, act: () => Promise<T>): Promise<T> =>
    inTurn(turnOf(id), () =>
      use(async () => {
        if (!shared) return act();
        const taken = await claimDirectory(join(directory, 'turns', turnOf(id)), { waitMs: TURN_WAIT_MS });
        if (!taken)
          throw new OutboxStorageError(name, 'in-use', 'other processes are changing the same record');
        // A change that was made is not undone by a turn that cannot be given back.
        return act().finally(() => taken.release().catch(() => {}));
      }),
    );
  const read = (id: string) => readEntry(directory, fileOf(id));
  const put = (id: string, text: string) => write(directory, fileOf(id), `${id}\n${text}`);
  // Not flushed: a removal that a power cut undoes only means that an outcome is handed over once more.
  const remove = (id: string) => rm(join(directory, fileOf(id)), { force: true });

  return {
    name,
    durable: true,
    coordination: shared ? betweenProcesses : alone,
    entries: () =>
      use(async () => {
        const found: StoredEntry[] = [];
        // One after the other: all at once would take a file handle for each.
        for (const file of await readdir(directory)) {
          const entry = file.endsWith('.operation') ? await readEntry(directory, file) : undefined;
          if (entry) found.push(entry);
        }
        return found;
      }),
    // Files are replaced whole, so a look needs no turn among processes.
    get: (id) => inTurn(turnOf(id), () => use(() => read(id))),
    set: (id, text) => change(id, () => put(id, text)),
    swap: (id, former, next) =>
      change(id, async () => {
        const now = await read(id);
        // A file that is there and is not this id's record equals nothing.
        if (now ? now.id !== id || now.text === undefined || now.text !== former : former !== undefined)
          return false;
        await (next === undefined ? remove(id) : put(id, next));
        return true;
      }),
    delete: (id) => change(id, () => remove(id)),
    async close() {
      closed = true;
      const claimed = await claiming?.catch(() => undefined);
      claiming = undefined;
      await claimed?.release();
    },
  };
}

const nobodys: DirectoryClaim = { release: async () => {} };

async function isAbandoned(file: string): Promise<boolean> {
  const written = await stat(file).catch(() => undefined);
  return written !== undefined && Date.now() - written.mtimeMs > ABANDONED_MS;
}

/**
 * Any id gives a short name, and two that differ only in case give two names where the file system ignores it. A file that
 * is no id's record is named by itself.
 */
function fileOf(id: string): string {
  if (/^[^/\\[]+\.operation$/.test(id)) return id;
  return `${createHash('sha256').update(id).digest('hex')}.operation`;
}

/** `undefined` when it is not there, or not any more. */
async function readEntry(directory: string, file: string): Promise<StoredEntry | undefined> {
  try {
    const content = await readFile(join(directory, file), 'utf8');
    const end = content.indexOf('\n');
    const id = content.slice(0, end);
    // A file cut short, or copied to another name, is nobody's.
    return fileOf(id) === file ? { id, text: content.slice(end + 1) } : { id: file, text: content };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : { id: file, text: undefined };
  }
}

async function write(directory: string, file: string, content: string): Promise<void> {
  const aside = join(directory, `${file}.${randomUUID()}.new`);
  try {
    const handle = await open(aside, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(aside, join(directory, file));
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {});
    throw error;
  }
  await flushDirectory(directory);
}

/** Makes a rename last. Windows cannot open directories, and needs it less. */
async function flushDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What keeps a process from a directory altogether. */
const UNAVAILABLE = /^(EACCES|EPERM|EROFS|ENOTDIR)$/;
