import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OutboxStorageError } from '../../errors/outbox-storage-error.js';
import { betweenProcesses } from '../coordination/between-processes.js';
import { whileHeld } from '../coordination/while-held.js';
import type { OutboxStorage, StoredEntry } from '../store/storage.js';
import { ClaimedDirectory } from './claimed-directory.js';
import { claimDirectory } from './directory-claim.js';
import { fileOf, putBack, readRecord, writeRecord } from './record-file.js';
import { refusal } from './refusal.js';
import { sinceThen } from './since-then.js';
import { turns } from './turns.js';

export interface FileStorageOptions {
  /**
   * Whether other processes may have the directory at the same time, on this machine or over a network file system whose
   * machines' clocks agree to a second or two. Each change then takes a claim on its record first, which costs about a
   * millisecond. @default false
   */
  readonly shared?: boolean;
}

/** How long a change waits for its turn, from when it was asked for: less than a caller waits until it is kept. */
const TURN_WAIT_MS = 8_000;

/**
 * Keeps operations of a Node process in a directory, one file each, readable by its user alone. A write counts once it
 * would survive a power cut: the file is flushed, renamed into place, and the directory flushed. `swap` is one step among
 * all that may have the directory.
 *
 * One process has the directory to itself, from the first use until `close()` or its end, however it ends; for another
 * one every use is an `OutboxStorageError` with reason `in-use` until then. Give each process a directory of its own, or
 * let all of them say `shared`. Where only its silence can tell that the one before has ended (another machine, another
 * container's network), the first use waits for up to 18 s.
 *
 * @example
 * ```ts
 * const client = createIdempotentClient({ contract, url, owner, storage: fileStorage('/var/lib/shop/outbox') });
 * ```
 */
export function fileStorage(directory: string, { shared = false }: FileStorageOptions = {}): OutboxStorage {
  const name = `file storage ${directory}`;
  const inTurn = turns();
  /** What this process knows to be there, by its file: put back when the directory is another one, which nobody has emptied. */
  const known = new Map<string, Known>();
  const own = new ClaimedDirectory(directory, {
    name,
    shared,
    async onReplaced() {
      for (const record of known.values()) await putBack(directory, record);
    },
  });

  const use = async <T>(act: () => Promise<T>): Promise<T> => {
    // What cannot be opened has stored nothing, whatever keeps it from that.
    await own.ensure().catch((cause) => {
      throw refusal(name, cause, 'unavailable');
    });
    return act().catch((cause) => {
      const { code } = cause as NodeJS.ErrnoException;
      throw refusal(name, cause, UNAVAILABLE.test(String(code)) ? 'unavailable' : 'failed');
    });
  };

  // Among processes a few hundred turns keep different records apart well enough, and leave few folders behind.
  const turnOf = (id: string) => (shared ? fileOf(id).slice(0, 2) : id);
  /** A change of one record, when its turn has come: in this process, and among those that share. */
  const change = <T>(id: string, act: (sure: () => void) => Promise<T>): Promise<T> => {
    const askedMs = sinceThen();
    return inTurn(turnOf(id), () =>
      use(async () => {
        if (!shared) return act(() => {});
        const taken = await claimDirectory(directory, {
          turn: turnOf(id),
          waitMs: TURN_WAIT_MS - askedMs(),
          lifeline: await own.lifeline(),
        });
        const refuse = () => {
          throw new OutboxStorageError(name, 'in-use', 'other processes are changing the same record');
        };
        if (!taken) return refuse();
        return act(() => taken.lost && refuse()).finally(() => taken.release());
      }),
    );
  };
  const read = async (file: string): Promise<StoredEntry | undefined> => {
    const entry = await readRecord(directory, file);
    if (!entry) known.delete(file);
    else if (entry.id !== file) known.set(file, entry as Known);
    return entry;
  };
  /** What cannot be read for a moment, for want of file handles or of permission, is no more damaged than gone. */
  const readAmongOthers = (file: string) =>
    read(file).catch(
      (cause): StoredEntry => ({
        id: known.get(file)?.id ?? file,
        ...{ text: undefined, unread: true, reason: `cannot be read: ${cause}` },
      }),
    );
  const put = async (id: string, text: string, sure: () => void) => {
    await writeRecord(directory, { id, text }, sure);
    known.set(fileOf(id), { id, text });
  };
  // Not flushed: a removal that a power cut undoes only means that an outcome is handed over once more.
  const remove = (id: string) => {
    known.delete(fileOf(id));
    return rm(join(directory, fileOf(id)), { force: true });
  };

  return {
    name,
    durable: true,
    coordination: shared ? betweenProcesses : whileHeld(own),
    entries: () =>
      use(async () => {
        const found: StoredEntry[] = [];
        // One after the other: all at once would take a file handle for each.
        for (const file of await readdir(directory)) {
          const entry = file.endsWith('.operation') ? await readAmongOthers(file) : undefined;
          if (entry) found.push(entry);
        }
        return found;
      }),
    // Files are replaced whole, so a look needs no turn among processes.
    get: (id) => inTurn(turnOf(id), () => use(() => read(fileOf(id)))),
    set: (id, text) => change(id, (sure) => put(id, text, sure)),
    swap: (id, former, next) =>
      change(id, async (sure) => {
        const now = await read(fileOf(id));
        // A file that is there and is not this id's record equals nothing.
        if (now ? now.id !== id || now.text === undefined || now.text !== former : former !== undefined)
          return false;
        await (next === undefined ? remove(id) : put(id, next, sure));
        return true;
      }),
    async delete(id) {
      known.delete(fileOf(id));
      await change(id, () => remove(id));
    },
    close: () => own.release(),
  };
}

type Known = StoredEntry & { readonly text: string };

/** What keeps a process from a directory altogether, or from everything for a moment. */
const UNAVAILABLE = /^(EACCES|EPERM|EROFS|ENOTDIR|EMFILE|ENFILE)$/;
