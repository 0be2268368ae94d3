import { createHash, randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredEntry } from '../store/storage.js';

/**
 * Any id gives a short name, and two that differ only in case give two names where the file system ignores it. A file that
 * is no id's record is named by itself.
 */
export function fileOf(id: string): string {
  if (/^[^/\\[]+\.operation$/.test(id)) return id;
  return `${createHash('sha256').update(id).digest('hex')}.operation`;
}

/**
 * `undefined` when it is not there, or not any more.
 * @throws when it cannot be read now
 */
export async function readRecord(directory: string, file: string): Promise<StoredEntry | undefined> {
  try {
    const content = await readFile(join(directory, file), 'utf8');
    const end = content.indexOf('\n');
    const id = content.slice(0, end);
    // A file cut short, or copied to another name, is nobody's.
    return fileOf(id) === file ? { id, text: content.slice(end + 1) } : { id: file, text: content };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    // A folder of that name will never be a record.
    if (code === 'EISDIR') return { id: file, text: undefined };
    throw error;
  }
}

/**
 * Makes a file whole or not at all: whoever looks sees what was there or what is new.
 * @param sure looked at when there is nothing left but to put it there; throws when that must not be
 */
export async function writeRecord(
  directory: string,
  { id, text }: { readonly id: string; readonly text: string },
  sure: () => void,
): Promise<void> {
  const file = fileOf(id);
  await aside(directory, file, `${id}\n${text}`, async (written) => {
    sure();
    await rename(written, join(directory, file));
  });
  await flushDirectory(directory);
}

/** The same, unless something is there. */
export async function putBack(
  directory: string,
  { id, text }: { readonly id: string; readonly text: string },
): Promise<void> {
  const file = fileOf(id);
  await aside(directory, file, `${id}\n${text}`, async (written) => {
    await link(written, join(directory, file)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await rm(written, { force: true });
  });
  await flushDirectory(directory);
}

async function aside(
  directory: string,
  file: string,
  content: string,
  place: (written: string) => Promise<void>,
): Promise<void> {
  const written = join(directory, `${file}.${randomUUID()}.new`);
  try {
    const handle = await open(written, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await place(written);
  } catch (error) {
    await rm(written, { force: true }).catch(() => {});
    throw error;
  }
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
