import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OutboxStorageError } from '../../errors/outbox-storage-error.js';
import type { OutboxStorage, StoredEntry } from '../storage.js';
import { claimDirectory, type DirectoryClaim } from './directory-claim.js';
import { refusal } from './refusal.js';
import { turns } from './turns.js';

/**
 * Keeps operations of a Node process in a directory, one file each, readable by its user alone. A write counts once it
 * would survive a power cut: the file is flushed, renamed into place, and the directory flushed.
 *
 * One process has the directory to itself, from the first use until `close()` or its end, however it ends; for another
 * one every use is an `OutboxStorageError` with reason `in-use` until then. Give each process a directory of its own.
 *
 * @example
 * ```ts
 * const client = createIdempotentClient({ contract, url, owner, storage: fileStorage('/var/lib/shop/outbox') });
 * ```
 */
export function fileStorage(directory: string): OutboxStorage {
  const name = `file storage ${directory}`;
  let claiming: Promise<DirectoryClaim> | undefined;
  const inTurn = turns();

  const claim = async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const claimed = await claimDirectory(directory);
    if (!claimed)
      throw new OutboxStorageError(name, 'in-use', 'another process has it; give each its own directory');
    // Left by a process that ended in the middle of a write, which therefore never counted.
    for (const left of (await readdir(directory)).filter((file) => file.endsWith('.new')))
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

  const read = (id: string) => readEntry(directory, fileOf(id));
  const put = (id: string, text: string) => write(directory, fileOf(id), `${id}\n${text}`);
  // Not flushed: a removal that a power cut undoes only means that an outcome is handed over once more.
  const remove = (id: string) => rm(join(directory, fileOf(id)), { force: true });

  return {
    name,
    durable: true,
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
    get: (id) => inTurn(id, () => use(() => read(id))),
    set: (id, text) => inTurn(id, () => use(() => put(id, text))),
    swap: (id, former, next) =>
      inTurn(id, () =>
        use(async () => {
          const now = await read(id);
          // A file that is there and is not this id's record equals nothing.
          if (now ? now.id !== id || now.text === undefined || now.text !== former : former !== undefined)
            return false;
          await (next === undefined ? remove(id) : put(id, next));
          return true;
        }),
      ),
    delete: (id) => inTurn(id, () => use(() => remove(id))),
    async close() {
      const claimed = await claiming?.catch(() => undefined);
      claiming = undefined;
      await claimed?.release();
    },
  };
}

/** Any id gives a short name, and two that differ only in case give two names where the file system ignores it. */
function fileOf(id: string): string {
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
